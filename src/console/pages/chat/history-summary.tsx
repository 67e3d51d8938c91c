import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Form, Lines, Problem, Switch } from "../../ui/form.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Conversation } from "../../wire.ts"

interface HistorySummaryProps {
  conversation: Conversation
  onChange: (conversation: Conversation) => void
}

/** What becomes of messages that are too old for the window of the model: a line that opens to change it. */
export function HistorySummary({ conversation, onChange }: HistorySummaryProps) {
  const { conversation_id, summary, settings } = conversation
  const leavesOut = settings.history === "truncate"
  const patch = async (change: object) =>
    onChange(await api.patch<Conversation>(`/conversations/${conversation_id}`, change))
  const choose = useAction((leaveOut: boolean) => patch({ history: leaveOut ? "truncate" : "summarize" }))
  return (
    <details class="fold history-summary">
      <summary>
        {leavesOut ? t("Earlier messages are left out where they do not fit") : t("Earlier messages are summarized")}
      </summary>
      <div class="stack">
        {summary && !leavesOut && <SummaryForm key={summary.text} text={summary.text} patch={patch} />}
        <Switch
          label={t("Leave older messages out instead")}
          checked={leavesOut}
          disabled={choose.busy}
          onChange={leaveOut => void choose.run(leaveOut)}
        />
        <Problem error={choose.error} />
      </div>
    </details>
  )
}

function SummaryForm({ text: stored, patch }: { text: string; patch: (change: object) => Promise<void> }) {
  const [text, setText] = useState(stored)
  const save = useAction(async () => {
    await patch({ summary: { text: text.trim() } })
    notify(t("The next answer is given the summary as it is now."))
  })
  const forget = useAction(() => patch({ summary: null }))
  return (
    <Form class="stack" action={save}>
      <Lines
        label={t("What the model is given in place of the messages above")}
        hint={t("The messages themselves stay as they are.")}
        name="summary"
        rows={6}
        required
        value={text}
        onInput={setText}
        error={save.error}
      />
      <Problem error={save.error ?? forget.error} />
      <div class="row">
        <Button type="submit" busy={save.busy} disabled={!text.trim() || text === stored}>
          {t("Save")}
        </Button>
        <Button kind="quiet" busy={forget.busy} onClick={() => void forget.run()}>
          {t("Sum up anew")}
        </Button>
      </div>
    </Form>
  )
}

/** The message that the line stands behind; null for before all of them, undefined where there is nothing to say. */
export function summaryPlace({ summary, settings, messages }: Conversation): string | null | undefined {
  if (summary) return messages.some(({ id }) => id === summary.up_to_message_id) ? summary.up_to_message_id : null
  return settings.history === "truncate" ? null : undefined
}
