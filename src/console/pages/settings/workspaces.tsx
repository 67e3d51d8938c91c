/** Settings → Workspaces: separate libraries, keys and conversations. For administrators. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, Switch, TextField } from "../../ui/form.tsx"
import type { Me, UserRecord, WorkspaceRecord } from "../../wire.ts"

export function WorkspacesSettings() {
  const { setMe, reloadRedaction } = useAccount()
  const [name, setName] = useState("")
  const [open, setOpen] = useState<string | null>(null)
  const workspaces = useLoaded("workspaces", signal => api.get<{ data: WorkspaceRecord[] }>("/keys/workspaces", signal))
  const refresh = async () => {
    workspaces.reload()
    reloadRedaction()
    setMe(await api.get<Me>("/keys/me"))
  }
  const create = useAction(async () => {
    await api.post("/keys/workspaces", { name })
    setName("")
    await refresh()
  })
  const opened = workspaces.data?.data.find(workspace => workspace.id === open)
  return (
    <section class="stack">
      <h2>{t("Workspaces")}</h2>
      <p class="soft">
        {t("Each has its own files, conversations, runs and API keys. Nothing is shared between them.")}
      </p>
      <Problem error={workspaces.error ?? create.error} />
      <ul class="list">
        {workspaces.data?.data.map(workspace => (
          <li key={workspace.id} class="row between">
            <div>
              <strong dir="auto">{workspace.name}</strong>
              <span class="soft small block">
                {t("{length, plural, one {# member} other {# members}}", { length: workspace.member_ids.length })}
              </span>
            </div>
            <Button
              label={t("Change {name}", { name: workspace.name })}
              icon="settings"
              onClick={() => setOpen(workspace.id)}
            />
          </li>
        ))}
      </ul>
      <Form class="row" action={create}>
        <TextField
          label={t("New workspace")}
          name="name"
          required
          value={name}
          onInput={setName}
          error={create.error}
        />
        <Button type="submit" icon="plus" busy={create.busy}>
          {t("Make")}
        </Button>
      </Form>
      {opened && <WorkspaceDialog workspace={opened} onClose={() => setOpen(null)} onChange={refresh} />}
    </section>
  )
}

interface WorkspaceDialogProps {
  workspace: WorkspaceRecord
  onClose: () => void
  onChange: () => Promise<void>
}

function WorkspaceDialog({ workspace, onClose, onChange }: WorkspaceDialogProps) {
  const [name, setName] = useState(workspace.name)
  const users = useLoaded("users", signal => api.get<{ data: UserRecord[] }>("/keys/users", signal))
  const rename = useAction(async () => {
    await api.patch(`/keys/workspaces/${workspace.id}`, { name })
    await onChange()
  })
  const enforce = useAction(async (isEnforced: boolean) => {
    await api.patch(`/keys/workspaces/${workspace.id}`, { enforce_redaction: isEnforced })
    await onChange()
  })
  const member = useAction(async (userId: string, isMember: boolean) => {
    const path = `/keys/workspaces/${workspace.id}/members/${userId}`
    await (isMember ? api.put(path) : api.delete(path)).finally(onChange)
  })
  return (
    <Dialog title={workspace.name} onClose={onClose}>
      <div class="stack">
        <Form class="row" action={rename}>
          <TextField label={t("Name")} name="name" required value={name} onInput={setName} error={rename.error} />
          <Button type="submit" busy={rename.busy} disabled={name === workspace.name}>
            {t("Rename")}
          </Button>
        </Form>
        <Switch
          label={t("Redact every conversation and run here")}
          checked={workspace.enforce_redaction}
          onChange={isEnforced => void enforce.run(isEnforced)}
        />
        <fieldset class="choices">
          <legend>{t("Members")}</legend>
          {users.data?.data.map(user => (
            <label key={user.id}>
              <input
                type="checkbox"
                checked={workspace.member_ids.includes(user.id)}
                onChange={event => void member.run(user.id, event.currentTarget.checked)}
              />
              <span dir="auto">{user.name}</span> <span class="soft small">{user.email}</span>
            </label>
          ))}
        </fieldset>
        <Problem error={rename.error ?? enforce.error ?? member.error} />
      </div>
    </Dialog>
  )
}
