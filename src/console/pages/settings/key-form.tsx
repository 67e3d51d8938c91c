import type { ComponentProps } from "preact"
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, Select, TextField } from "../../ui/form.tsx"
import type { ApiKeyRecord, NewApiKey, Scope, UserRecord } from "../../wire.ts"

const SCOPES: readonly (readonly [Scope, string])[] = [
  ["models:read", "List models"],
  ["files:read", "Read the library"],
  ["files:write", "Upload, change and delete files"],
  ["search", "Search"],
  ["chat", "Conversations"],
  ["agents", "Agent runs"],
]

const EXPIRIES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const

interface KeyFormProps {
  /** The key to change; absent for a new one. */
  present?: ApiKeyRecord
  onClose: () => void
  onMade?: (made: NewApiKey) => void
  onChanged?: () => void
}

export function KeyForm({ present, onClose, onMade, onChanged }: KeyFormProps) {
  const [name, setName] = useState(present?.name ?? "")
  const [scopes, setScopes] = useState<Scope[]>(present?.scopes ?? SCOPES.map(([scope]) => scope))
  const [expiry, setExpiry] = useState(present ? "keep" : "")
  const [limit, setLimit] = useState(present?.rate_limit_per_minute ? String(present.rate_limit_per_minute) : "")
  const [owner, setOwner] = useState(present?.owner?.id ?? "")
  const owners = useOwners(present)
  const save = useAction(async () => {
    const body = {
      name,
      scopes,
      rate_limit_per_minute: limit.trim() ? Number(limit) : null,
      ...(owners && owner !== (present?.owner?.id ?? "") ? { owner_id: owner || null } : {}),
      ...(expiry === "keep" ? {} : { expires_at: expiry ? inDays(Number(expiry)) : null }),
    }
    if (present) {
      await api.patch(`/keys/${present.id}`, body)
      onChanged?.()
    } else onMade?.(await api.post<NewApiKey>("/keys", body))
  })
  return (
    <Dialog title={present ? `Change ${present.name}` : "Generate an API key"} onClose={onClose}>
      <Form class="stack" action={save}>
        <NameField value={name} onInput={setName} error={save.error} />
        <ScopeChoices scopes={scopes} onChange={setScopes} />
        <div class="pair">
          <Select
            label="Expires"
            value={expiry}
            onChange={setExpiry}
            options={present ? ([["keep", "Unchanged"], ...EXPIRIES] as const) : EXPIRIES}
          />
          <TextField
            label="Requests per minute"
            name="rate_limit_per_minute"
            type="number"
            min={1}
            max={1_000_000}
            placeholder="default"
            value={limit}
            onInput={setLimit}
            error={save.error}
          />
        </div>
        {owners && <Select label="Owner" value={owner} onChange={setOwner} options={owners} />}
        <Problem error={save.error} />
        <footer class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.busy} disabled={scopes.length === 0}>
            {present ? "Save" : "Generate"}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}

const NameField = (given: Pick<ComponentProps<typeof TextField>, "value" | "onInput" | "error">) => (
  <TextField
    label="Name"
    name="name"
    placeholder="Intranet search"
    hint="What will use this key?"
    required
    autofocus
    {...given}
  />
)

interface ScopeChoicesProps {
  scopes: Scope[]
  onChange: (scopes: Scope[]) => void
}

const ScopeChoices = ({ scopes, onChange }: ScopeChoicesProps) => (
  <fieldset class="choices">
    <legend>It may</legend>
    {SCOPES.map(([scope, text]) => (
      <label key={scope}>
        <input
          type="checkbox"
          checked={scopes.includes(scope)}
          onChange={event =>
            onChange(event.currentTarget.checked ? [...scopes, scope] : scopes.filter(other => other !== scope))
          }
        />
        {text} <code class="soft small">{scope}</code>
      </label>
    ))}
  </fieldset>
)

/** Whom an administrator can hand the key over to; undefined for others and for a new key, which is its maker's. */
function useOwners(present: ApiKeyRecord | undefined) {
  const { me } = useAccount()
  const asked = present !== undefined && me.user.role === "administrator"
  const users = useLoaded(`owners ${asked}`, async signal =>
    asked ? (await api.get<{ data: UserRecord[] }>("/keys/users", signal)).data : [],
  )
  if (!asked || !users.data) return undefined
  const able = users.data.filter(user => !user.disabled_at && user.workspaces.includes(present.workspace))
  const former = present.owner && !able.some(user => user.id === present.owner?.id) ? [present.owner] : []
  return [
    ["", "Nobody: it outlasts its users"],
    ...[...former, ...able].map(user => [user.id, `${user.name} (${user.email})`] as const),
  ] as const
}

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()
