/** Settings → Users: who may sign in. For administrators. */

import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { ago } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { spoken, t } from "../../text.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Confirm, Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Problem, Select, TextField } from "../../ui/form.tsx"
import type { InvitationRecord, UserRecord, UserRole } from "../../wire.ts"
import { UserGroups } from "./user-groups.tsx"

const ROLES = [
  ["member", "Member"],
  ["administrator", "Administrator"],
] as const

interface UserChanges {
  role?: UserRole
  disabled?: boolean
}

export function UsersSettings() {
  const { me } = useAccount()
  const [inviting, setInviting] = useState(false)
  const [resetting, setResetting] = useState<UserRecord | null>(null)
  const [removing, setRemoving] = useState<UserRecord | null>(null)
  const [grouping, setGrouping] = useState<UserRecord | null>(null)
  const users = useLoaded("users", signal => api.get<{ data: UserRecord[] }>("/keys/users", signal))
  const invitations = useLoaded("invitations", signal =>
    api.get<{ data: InvitationRecord[] }>("/keys/invitations", signal),
  )
  const change = useAction(async (user: UserRecord, changes: UserChanges) => {
    await api.patch(`/keys/users/${user.id}`, changes).finally(users.reload)
  })
  return (
    <section class="stack">
      <div class="section-head">
        <h2>{t("Users")}</h2>
        <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
          {t("Invite")}
        </Button>
      </div>
      <Problem error={users.error ?? change.error} />
      <ul class="list">
        {users.data?.data.map(user => (
          <Item
            key={user.id}
            user={user}
            own={user.id === me.user.id}
            onChange={changes => void change.run(user, changes)}
            onRemove={() => setRemoving(user)}
            onReset={() => setResetting(user)}
            onGroups={() => setGrouping(user)}
          />
        ))}
      </ul>
      {invitations.data && invitations.data.data.length > 0 && (
        <Invitations list={invitations.data.data} onChange={invitations.reload} />
      )}
      {inviting && <Invite onClose={() => setInviting(false)} onMade={invitations.reload} />}
      {resetting && <Reset user={resetting} onClose={() => setResetting(null)} />}
      {grouping && (
        <UserGroups
          user={grouping}
          known={[...new Set((users.data?.data ?? []).flatMap(({ groups }) => groups))].sort()}
          onClose={() => setGrouping(null)}
          onSaved={users.reload}
        />
      )}
      {removing && (
        <Remove
          user={removing}
          heirs={(users.data?.data ?? []).filter(user => user.id !== removing.id && !user.disabled_at)}
          onClose={() => setRemoving(null)}
          onRemoved={users.reload}
        />
      )}
    </section>
  )
}

interface ItemProps {
  user: UserRecord
  /** Nobody disables or removes themselves. */
  own: boolean
  onChange: (changes: UserChanges) => void
  onRemove: () => void
  onReset: () => void
  onGroups: () => void
}

const Item = ({ user, own, onChange, onRemove, onReset, onGroups }: ItemProps) => (
  <li class="row between">
    <div>
      <strong dir="auto">{user.name}</strong> {own && <span class="badge">{t("You")}</span>}{" "}
      {user.disabled_at && <span class="badge bad">{t("Disabled")}</span>}{" "}
      {user.groups.map(name => (
        <span key={name} class="badge">
          {name}
        </span>
      ))}
      <span class="soft small block">
        {user.email} · {user.workspaces.join(", ")} ·{" "}
        {user.last_signed_in_at
          ? t("signed in {lastSignedInAt}", { lastSignedInAt: ago(user.last_signed_in_at) })
          : t("has not signed in yet")}
      </span>
    </div>
    <div class="row">
      <Select
        compact
        label={t("Role of {name}", { name: user.name })}
        value={user.role}
        options={spoken(ROLES)}
        onChange={role => onChange({ role })}
      />
      <Button kind="quiet" icon="people" label={t("Groups of {name}", { name: user.name })} onClick={onGroups} />
      {!own && (
        <>
          <Button onClick={() => onChange({ disabled: !user.disabled_at })}>
            {user.disabled_at ? t("Enable") : t("Disable")}
          </Button>
          {!user.disabled_at && (
            <Button
              kind="quiet"
              icon="key"
              label={t("New password for {name}", { name: user.name })}
              onClick={onReset}
            />
          )}
          <Button kind="quiet" icon="trash" label={t("Remove {name}", { name: user.name })} onClick={onRemove} />
        </>
      )}
    </div>
  </li>
)

interface RemoveProps {
  user: UserRecord
  heirs: UserRecord[]
  onClose: () => void
  onRemoved: () => void
}

function Remove({ user, heirs, onClose, onRemoved }: RemoveProps) {
  const [heir, setHeir] = useState("")
  return (
    <Confirm
      title={t("Remove {name}?", { name: user.name })}
      action={t("Remove")}
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/keys/users/${user.id}${query({ keys_to: heir || undefined })}`)
        onRemoved()
      }}
    >
      <p>{t("The user is signed out and cannot sign in again. Their files stay.")}</p>
      <Select
        label={t("API keys of this user")}
        value={heir}
        options={[
          ["", t("Revoke them")],
          ...heirs.map(({ id, name }) => [id, t("Transfer them to {name}", { name })] as const),
        ]}
        onChange={setHeir}
      />
    </Confirm>
  )
}

function Invitations({ list, onChange }: { list: InvitationRecord[]; onChange: () => void }) {
  const withdraw = useAction(async (id: string) => {
    await api.delete(`/keys/invitations/${id}`)
    onChange()
  })
  return (
    <>
      <h2>{t("Open invitations")}</h2>
      <Problem error={withdraw.error} />
      <ul class="list">
        {list.map(invitation => (
          <li key={invitation.id} class="row between">
            <div>
              <strong>{invitation.email}</strong>
              <span class="soft small block">
                {t("{role} in {workspace} · created {createdAt}", {
                  role: invitation.role,
                  workspace: invitation.workspace,
                  createdAt: ago(invitation.created_at),
                })}
              </span>
            </div>
            <Button onClick={() => void withdraw.run(invitation.id)}>{t("Withdraw")}</Button>
          </li>
        ))}
      </ul>
    </>
  )
}

function Invite({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { me } = useAccount()
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<UserRole>("member")
  const [link, setLink] = useState("")
  const invite = useAction(async () => {
    const { token } = await api.post<{ token: string }>("/keys/invitations", { email, role })
    setLink(`${location.origin}/invitation?token=${token}`)
    onMade()
  })
  if (link)
    return (
      <LinkDialog title={t("Invitation")} link={link} onClose={onClose}>
        {t("Send this link to {email}. It works once, expires in seven days, and will not be shown again.", { email })}
      </LinkDialog>
    )
  return (
    <Dialog title={t("Invite to {name}", { name: me.workspace.name })} onClose={onClose}>
      <Form class="stack" action={invite}>
        <TextField
          label={t("E-mail")}
          type="email"
          name="email"
          required
          autofocus
          value={email}
          onInput={setEmail}
          error={invite.error}
        />
        <Select label={t("Role")} value={role} options={spoken(ROLES)} onChange={setRole} />
        <Problem error={invite.error} />
        <FormFoot action={t("Create a link")} busy={invite.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

function Reset({ user, onClose }: { user: UserRecord; onClose: () => void }) {
  const [link, setLink] = useState("")
  const make = useAction(async () => {
    const { token } = await api.post<{ token: string }>(`/keys/users/${user.id}/reset-link`)
    setLink(`${location.origin}/reset?token=${token}`)
  })
  if (link)
    return (
      <LinkDialog title={t("A new password")} link={link} onClose={onClose}>
        {t("Send this link to {email}. It works once, expires in a day, and will not be shown again.", {
          email: user.email,
        })}
      </LinkDialog>
    )
  return (
    <Dialog title={t("A new password for {name}", { name: user.name })} onClose={onClose}>
      <Form class="stack" action={make}>
        <p>{t("The user sets it by a link. Until then the old one works.")}</p>
        <Problem error={make.error} />
        <FormFoot action={t("Create a link")} busy={make.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

interface LinkDialogProps {
  title: string
  link: string
  onClose: () => void
  children: ComponentChildren
}

const LinkDialog = ({ title, link, onClose, children }: LinkDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <div class="stack">
      <p>{children}</p>
      <dl class="secrets">
        <div>
          <dt>{t("Link")}</dt>
          <dd>
            <code>{link}</code>
            <CopyButton text={link} label={t("Copy the link")} />
          </dd>
        </div>
      </dl>
      <footer class="row end">
        <Button kind="primary" onClick={onClose}>
          {t("Done")}
        </Button>
      </footer>
    </div>
  </Dialog>
)
