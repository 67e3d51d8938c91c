/** Governance → Retention: what is deleted by itself, and when. Counted before it is saved. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { count, dateTime } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { spoken, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Form, Problem } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import { notify } from "../../ui/toast.tsx"
import type { RetentionCounts, RetentionRecord } from "../../wire.ts"
import { emptyRule, type Given, givenOf, KINDS, RuleFields, ruleOf } from "./rule-fields.tsx"

export function RetentionPart() {
  const stored = useLoaded("retention", signal => api.get<RetentionRecord>("/retention", signal))
  return (
    <section class="stack">
      <div>
        <h2>{t("Retention")}</h2>
        <p class="soft">
          {t(
            "What has not been used for so long is deleted within the hour, with a receipt, unless a hold covers it. What counts is the last change of a conversation or file, the end of a run, and the time of an event or of a row of the audit log.",
          )}
        </p>
      </div>
      <Problem error={stored.error} />
      {stored.data && <Rules key={stored.data.updated_at} stored={stored.data} onSaved={stored.set} />}
      {stored.data?.last_applied && <LastApplied applied={stored.data.last_applied} />}
    </section>
  )
}

interface RulesProps {
  stored: RetentionRecord
  onSaved: (now: RetentionRecord) => void
}

const sum = (counts: RetentionCounts): number => Object.values(counts).reduce((total, each) => total + each, 0)

function Rules({ stored, onSaved }: RulesProps) {
  const [rules, setRules] = useState<Given[]>(stored.rules.map(givenOf))
  const [counts, setCounts] = useState<RetentionCounts>()
  const [asking, setAsking] = useState<RetentionCounts | null>(null)
  const change = (next: Given[]) => {
    setRules(next)
    setCounts(undefined) // they were of other rules
  }
  const body = () => ({ rules: rules.map(ruleOf) })
  const count = async () => (await api.post<{ counts: RetentionCounts }>("/retention/preview", body())).counts
  const preview = useAction(async () => setCounts(await count()))
  const put = async () => {
    onSaved(await api.put<RetentionRecord>("/retention", body()))
    notify(t("Saved"))
  }
  const save = useAction(async () => {
    const found = await count()
    setCounts(found)
    if (sum(found) > 0) setAsking(found)
    else await put()
  })
  const error = save.error ?? preview.error
  const untouched = JSON.stringify(rules) === JSON.stringify(stored.rules.map(givenOf))
  return (
    <Form class="stack" action={save}>
      {rules.length === 0 && <Empty icon="shield" title={t("Everything is kept")} />}
      <ol class="list">
        {rules.map((rule, i) => (
          <RuleFields
            key={rule.id}
            rule={rule}
            at={i}
            error={error}
            onChange={changed => change(rules.map(other => (other === rule ? changed : other)))}
            onRemove={() => change(rules.filter(other => other !== rule))}
          />
        ))}
      </ol>
      <Problem error={error} />
      {counts && <Previewed counts={counts} />}
      <div class="row">
        <Button icon="plus" onClick={() => change([...rules, emptyRule()])}>
          {t("Add a rule")}
        </Button>
        <Button
          busy={preview.busy}
          disabled={rules.length === 0}
          onClick={event => (event.currentTarget as HTMLButtonElement).form?.reportValidity() && void preview.run()}
        >
          {t("Preview")}
        </Button>
        <Button kind="primary" type="submit" busy={save.busy} disabled={untouched}>
          {t("Save")}
        </Button>
      </div>
      {asking && <Question counts={asking} onClose={() => setAsking(null)} onConfirm={put} />}
    </Form>
  )
}

interface QuestionProps {
  counts: RetentionCounts
  onClose: () => void
  onConfirm: () => Promise<void>
}

const Question = ({ counts, onClose, onConfirm }: QuestionProps) => (
  <Confirm
    title={t("Save these rules?")}
    action={t("Save, and delete {counts, plural, one {# item} other {# items}}", { counts: sum(counts) })}
    onClose={onClose}
    onConfirm={onConfirm}
  >
    <p>{t("Within the hour they delete, for good:")}</p>
    <CountList counts={counts} />
  </Confirm>
)

const Previewed = ({ counts }: { counts: RetentionCounts }) => (
  <section class="card" aria-label={t("Preview")} role="status">
    <h3>{sum(counts) === 0 ? t("These rules would delete nothing now") : t("These rules would delete now")}</h3>
    {sum(counts) > 0 && <CountList counts={counts} />}
  </section>
)

const CountList = ({ counts }: { counts: RetentionCounts }) => (
  <dl class="facts">
    {spoken(KINDS)
      .filter(([kind]) => counts[kind] > 0)
      .map(([kind, title]) => (
        <>
          <dt>{title}</dt>
          <dd class="number">{count(counts[kind])}</dd>
        </>
      ))}
  </dl>
)

const LastApplied = ({ applied }: { applied: NonNullable<RetentionRecord["last_applied"]> }) => (
  <section class="card" aria-label={t("Last applied")}>
    <h3>{t("Last applied {finishedAt}", { finishedAt: dateTime(applied.finished_at) })}</h3>
    {sum(applied.counts) === 0 ? <p class="soft">{t("Nothing was due.")}</p> : <CountList counts={applied.counts} />}
  </section>
)
