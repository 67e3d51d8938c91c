/** What a key may do, as people choose it. */

import { useAccount } from "../../session.ts"
import { type Text, t } from "../../text.ts"
import type { Scope } from "../../wire.ts"

const SCOPES: readonly (readonly [Scope, Text])[] = [
  ["models:read", "List models"],
  ["files:read", "Read the library"],
  ["files:write", "Upload, change and delete files"],
  ["search", "Search"],
  ["chat", "Conversations"],
  ["agents", "Agent runs"],
  ["batches", "Batches and schedules"],
  ["sources", "Sources that the library follows"],
  ["webhooks", "Events and webhooks"],
  ["tokens", "Make tokens for users of an application"],
]
/** What only administrators see in the console: few applications need it, so a new key is without. */
const GOVERNANCE: typeof SCOPES = [
  ["usage", "Read what was used"],
  ["audit", "Read the audit log"],
  ["retention", "Rules of retention and holds, receipts"],
]

/** Of a new key. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.map(([scope]) => scope)

/** For a table: those that a key has, or what is missing where that is less to read. */
export function scopeWords(scopes: readonly Scope[]): string {
  const missing = [...SCOPES, ...GOVERNANCE].map(([scope]) => scope).filter(scope => !scopes.includes(scope))
  if (missing.length === 0) return t("all")
  return missing.length <= GOVERNANCE.length
    ? t("all but {missing}", { missing: missing.join(", ") })
    : scopes.join(", ")
}

interface ScopeChoicesProps {
  scopes: Scope[]
  onChange: (scopes: Scope[]) => void
}

export function ScopeChoices({ scopes, onChange }: ScopeChoicesProps) {
  const { me } = useAccount()
  return (
    <fieldset class="choices">
      <legend>{t("It may")}</legend>
      {[...SCOPES, ...(me.user.role === "administrator" ? GOVERNANCE : [])].map(([scope, text]) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={event =>
              onChange(event.currentTarget.checked ? [...scopes, scope] : scopes.filter(other => other !== scope))
            }
          />
          {t(text)} <code class="soft small">{scope}</code>
        </label>
      ))}
    </fieldset>
  )
}
