import { spoken, type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Select, TextField } from "../../ui/form.tsx"
import type { RetentionKind, RetentionRule } from "../../wire.ts"
import { FilterField, filterIn, filterText } from "./filter-field.tsx"

/** With what people call them. */
export const KINDS: readonly (readonly [RetentionKind, Text])[] = [
  ["conversations", "Conversations"],
  ["runs", "Agent runs"],
  ["files", "Files"],
  ["events", "Events"],
  ["audit", "Audit log"],
]

const IN_CONTEXTS = new Set<RetentionKind>(["conversations", "runs", "files"])

/** A rule as somebody is writing it. */
export interface Given {
  /** Of its place in the form. */
  id: number
  kind: RetentionKind
  days: string
  context: string
  filter: string
}

let made = 0
export const emptyRule = (): Given => ({ id: ++made, kind: "conversations", days: "", context: "", filter: "" })

export const givenOf = ({ kind, after_days: days, context_id: context, filter }: RetentionRule, at: number): Given => ({
  id: -at - 1,
  kind,
  days: String(days),
  context: context ?? "",
  filter: filterText(filter),
})

/** As the API takes it: what does not go with the kind is left out. @throws Error where the filter is no JSON */
export const ruleOf = ({ kind, days, context, filter }: Given) => ({
  kind,
  after_days: Number(days),
  context_id: IN_CONTEXTS.has(kind) ? context.trim() || null : null,
  filter: kind === "files" ? filterIn(filter) : null,
})

interface RuleFieldsProps {
  rule: Given
  /** Place in the list, from 0. */
  at: number
  error: Error | undefined
  onChange: (rule: Given) => void
  onRemove: () => void
}

export const RuleFields = ({ rule, at, error, onChange, onRemove }: RuleFieldsProps) => (
  <li>
    <fieldset class="stack">
      <legend class="unseen">{t("Rule {at}", { at: at + 1 })}</legend>
      <div class="filters">
        <Select
          label={t("Delete")}
          value={rule.kind}
          options={spoken(KINDS)}
          onChange={kind => onChange({ ...rule, kind })}
        />
        <TextField
          label={t("After days")}
          name={`rules.${at}.after_days`}
          type="number"
          min={1}
          max={36_500}
          required
          value={rule.days}
          onInput={days => onChange({ ...rule, days })}
          error={error}
        />
        {IN_CONTEXTS.has(rule.kind) && (
          <TextField
            label={t("Only this context")}
            name={`rules.${at}.context_id`}
            placeholder={t("all")}
            value={rule.context}
            onInput={context => onChange({ ...rule, context })}
            error={error}
          />
        )}
        <div class="row end">
          <Button kind="quiet" icon="trash" label={t("Remove rule {at}", { at: at + 1 })} onClick={onRemove} />
        </div>
      </div>
      {rule.kind === "files" && (
        <FilterField
          name={`rules.${at}.filter`}
          value={rule.filter}
          onInput={filter => onChange({ ...rule, filter })}
          error={error}
        />
      )}
    </fieldset>
  </li>
)
