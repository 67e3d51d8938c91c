/** Settings → Users: who may sign in. For administrators. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { ago } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
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
        <h2>Users</h2>
        <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
          Invite
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
      <strong dir="auto">{user.name}</strong> {own && <span class="badge">You</span>}{" "}
      {user.disabled_at && <span class="badge bad">Disabled</span>}{" "}
      {user.groups.map(name => (
        <span key={name} class="badge">
          {name}
        </span>
      ))}
      <span class="soft small block">
        {user.email} · {user.workspaces.join(", ")} ·{" "}
        {user.last_signed_in_at ? `signed in ${ago(user.last_signed_in_at)}` : "has not signed in yet"}
      </span>
    </div>
    <div class="row">
      <Select
        compact
        label={`Role of ${user.name}`}
        value={user.role}
        options={ROLES}
        onChange={role => onChange({ role })}
      />
      <Button kind="quiet" icon="people" label={`Groups of ${user.name}`} onClick={onGroups} />
      {!own && (
        <>
          <Button onClick={() => onChange({ disabled: !user.disabled_at })}>
            {user.disabled_at ? "Enable" : "Disable"}
          </Button>
          {!user.disabled_at && (
            <Button kind="quiet" icon="key" label={`New password for ${user.name}`} onClick={onReset} />
          )}
          <Button kind="quiet" icon="trash" label={`Remove ${user.name}`} onClick={onRemove} />
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
      title={`Remove ${user.name}?`}
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/keys/users/${user.id}${query({ keys_to: heir || undefined })}`)
        onRemoved()
      }}
    >
      <p>The user is signed out and cannot sign in again. Their files stay.</p>
      <Select
        label="API keys of this user"
        value={heir}
        options={[["", "Revoke them"], ...heirs.map(({ id, name }) => [id, `Transfer them to ${name}`] as const)]}
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
      <h2>Open invitations</h2>
      <Problem error={withdraw.error} />
      <ul class="list">
        {list.map(invitation => (
          <li key={invitation.id} class="row between">
            <div>
              <strong>{invitation.email}</strong>
              <span class="soft small block">
                {invitation.role} in {invitation.workspace} · created {ago(invitation.created_at)}
              </span>
            </div>
            <Button onClick={() => void withdraw.run(invitation.id)}>Withdraw</Button>
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
      <LinkDialog title="Invitation" link={link} onClose={onClose}>
        Send this link to {email}. It works once, expires in seven days, and will not be shown again.
      </LinkDialog>
    )
  return (
    <Dialog title={`Invite to ${me.workspace.name}`} onClose={onClose}>
      <Form class="stack" action={invite}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          required
          autofocus
          value={email}
          onInput={setEmail}
          error={invite.error}
        />
        <Select label="Role" value={role} options={ROLES} onChange={setRole} />
        <Problem error={invite.error} />
        <FormFoot action="Create a link" busy={invite.busy} onClose={onClose} />
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
      <LinkDialog title="A new password" link={link} onClose={onClose}>
        Send this link to {user.email}. It works once, expires in a day, and will not be shown again.
      </LinkDialog>
    )
  return (
    <Dialog title={`A new password for ${user.name}`} onClose={onClose}>
      <Form class="stack" action={make}>
        <p>The user sets it by a link. Until then the old one works.</p>
        <Problem error={make.error} />
        <FormFoot action="Create a link" busy={make.busy} onClose={onClose} />
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
          <dt>Link</dt>
          <dd>
            <code>{link}</code>
            <CopyButton text={link} label="Copy the link" />
          </dd>
        </div>
      </dl>
      <footer class="row end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </div>
  </Dialog>
)
