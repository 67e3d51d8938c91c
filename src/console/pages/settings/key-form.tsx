import type { ComponentProps } from "preact"
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { DAY_MS } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { spoken, t } from "../../text.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Problem, Select, TextField } from "../../ui/form.tsx"
import type { ApiKeyRecord, NewApiKey, Scope, UserRecord } from "../../wire.ts"
import { isSame, QuotaFields, quotaIn, quotaTexts } from "./quota-fields.tsx"
import { ScopeChoices, USUAL_SCOPES } from "./scopes.tsx"

const EXPIRIES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const

const expiriesFor = (present: ApiKeyRecord | undefined) =>
  present ? ([["keep", t("Unchanged")], ...spoken(EXPIRIES)] as const) : spoken(EXPIRIES)

interface KeyFormProps {
  /** The key to change; absent for a new one. */
  present?: ApiKeyRecord
  onClose: () => void
  onMade?: (made: NewApiKey) => void
  onChanged?: () => void
}

export function KeyForm({ present, onClose, onMade, onChanged }: KeyFormProps) {
  const [name, setName] = useState(present?.name ?? "")
  const [scopes, setScopes] = useState<Scope[]>(present?.scopes ?? [...USUAL_SCOPES])
  const [expiry, setExpiry] = useState(present ? "keep" : "")
  const [limit, setLimit] = useState(present?.rate_limit_per_minute ? String(present.rate_limit_per_minute) : "")
  const [lists, setLists] = useState(listsOf(present))
  const [quota, setQuota] = useState(quotaTexts(present?.quota))
  const [owner, setOwner] = useState(present?.owner?.id ?? "")
  const owners = useOwners(present)
  const save = useAction(async () => {
    const body = {
      name,
      scopes,
      rate_limit_per_minute: limit.trim() ? Number(limit) : null,
      ...changed(lists, listsOf(present)),
      ...(isSame(quota, quotaTexts(present?.quota)) ? {} : { quota: quotaIn(quota) }),
      ...(owners && owner !== (present?.owner?.id ?? "") ? { owner_id: owner || null } : {}),
      ...(expiry === "keep" ? {} : { expires_at: expiry ? inDays(Number(expiry)) : null }),
    }
    if (present) {
      await api.patch(`/keys/${present.id}`, body)
      onChanged?.()
    } else onMade?.(await api.post<NewApiKey>("/keys", body))
  })
  return (
    <Dialog title={present ? t("Change {name}", { name: present.name }) : t("Generate an API key")} onClose={onClose}>
      <Form class="stack" action={save}>
        <NameField value={name} onInput={setName} error={save.error} />
        <ScopeChoices scopes={scopes} onChange={setScopes} />
        <div class="pair">
          <Select label={t("Expires")} value={expiry} onChange={setExpiry} options={expiriesFor(present)} />
          <TextField
            label={t("Requests per minute")}
            name="rate_limit_per_minute"
            type="number"
            min={1}
            max={1_000_000}
            placeholder={t("default")}
            value={limit}
            onInput={setLimit}
            error={save.error}
          />
        </div>
        <QuotaFields quota={quota} onChange={setQuota} error={save.error} />
        <ListFields lists={lists} onChange={setLists} error={save.error} />
        {owners && <Select label={t("Owner")} value={owner} onChange={setOwner} options={owners} />}
        <Problem error={save.error} />
        <FormFoot
          action={present ? t("Save") : t("Generate")}
          busy={save.busy}
          disabled={scopes.length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}

/** What narrows a key, as one writes it: names with commas between; nothing is no limit. */
type Lists = Record<"context_ids" | "models", string>

const listsOf = (key: ApiKeyRecord | undefined): Lists => ({
  context_ids: key?.context_ids?.join(", ") ?? "",
  models: key?.models?.join(", ") ?? "",
})

/** Those that somebody has touched: a key of no contexts at all looks like one without that limit. */
function changed(lists: Lists, former: Lists): Partial<Record<keyof Lists, string[] | null>> {
  const touched = Object.entries(lists).filter(([name, text]) => text !== former[name as keyof Lists])
  return Object.fromEntries(
    touched.map(([name, text]) => {
      const parts = text.split(",").map(part => part.trim())
      const names = parts.filter(Boolean)
      return [name, names.length > 0 ? names : null]
    }),
  )
}

interface ListFieldsProps {
  lists: Lists
  onChange: (lists: Lists) => void
  error: Error | undefined
}

const ListFields = ({ lists, onChange, error }: ListFieldsProps) => (
  <>
    <TextField
      label={t("Only these contexts")}
      name="context_ids"
      placeholder={t("all")}
      hint={t("Separated by commas: files of others do not exist for the key")}
      value={lists.context_ids}
      onInput={context_ids => onChange({ ...lists, context_ids })}
      error={error}
    />
    <TextField
      label={t("Only these models")}
      name="models"
      placeholder={t("all")}
      hint={t("Such as ollama/*, separated by commas")}
      value={lists.models}
      onInput={models => onChange({ ...lists, models })}
      error={error}
    />
  </>
)

const NameField = (given: Pick<ComponentProps<typeof TextField>, "value" | "onInput" | "error">) => (
  <TextField
    label={t("Name")}
    name="name"
    placeholder={t("Intranet search")}
    hint={t("What will use this key?")}
    required
    autofocus
    {...given}
  />
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
    ["", t("Nobody: it outlasts its users")],
    ...[...former, ...able].map(user => [user.id, `${user.name} (${user.email})`] as const),
  ] as const
}

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
