/** What can be done with an answer that stands: say what it was worth, look at those it took the place of. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { api } from "../../api.ts"
import { count, dateTime } from "../../format.ts"
import { useAction } from "../../loading.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Lines, Problem } from "../../ui/form.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Conversation, Feedback, Message, Variant } from "../../wire.ts"

interface RateAnswerProps {
  conversationId: string
  message: Message
  onConversation: (conversation: Conversation) => void
}

const RATINGS = [
  ["up", "Good answer"],
  ["down", "Bad answer"],
] as const satisfies [Feedback["rating"], Text][]

/** A thumb is kept at once; its note can be written behind it, or not. The same thumb again takes it back. */
export function RateAnswer({ conversationId, message, onConversation }: RateAnswerProps) {
  const [noting, setNoting] = useState(false)
  const { feedback } = message
  const rate = async (next: Feedback | null) =>
    onConversation(
      await api.put<Conversation>(
        `/conversations/${conversationId}/messages/${message.id}/feedback`,
        next ?? { rating: null },
      ),
    )
  const choose = (rating: Feedback["rating"]) => {
    const isSame = feedback?.rating === rating
    rate(isSame ? null : { rating, note: "" }).then(
      () => setNoting(!isSame),
      error => notify(error.message),
    )
  }
  return (
    <>
      {RATINGS.map(([rating, label]) => (
        <Button
          key={rating}
          kind="quiet"
          icon={rating}
          label={t(label)}
          pressed={feedback?.rating === rating}
          onClick={() => choose(rating)}
        />
      ))}
      {feedback?.note && (
        <button type="button" class="button quiet rating-note" onClick={() => setNoting(true)}>
          <bdi>{feedback.note}</bdi>
        </button>
      )}
      {noting && feedback && <Note feedback={feedback} onSave={rate} onClose={() => setNoting(false)} />}
    </>
  )
}

interface NoteProps {
  feedback: Feedback
  onSave: (feedback: Feedback) => Promise<void>
  onClose: () => void
}

function Note({ feedback, onSave, onClose }: NoteProps) {
  const [note, setNote] = useState(feedback.note)
  const save = useAction(async () => {
    await onSave({ ...feedback, note })
    onClose()
  })
  return (
    <Dialog title={feedback.rating === "up" ? t("What was good?") : t("What was wrong?")} onClose={onClose}>
      <Form class="stack" action={save}>
        <Lines label={t("Note")} name="note" rows={4} value={note} onInput={setNote} error={save.error} />
        <p class="soft small">{t("It stays with the answer. Whoever may read this conversation may read it.")}</p>
        <Problem error={save.error} />
        <footer class="row between">
          <Button onClick={onClose}>{t("Without a note")}</Button>
          <Button kind="primary" type="submit" busy={save.busy}>
            {t("Save")}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}

interface VariantsProps {
  conversationId: string
  message: Message
  isLast: boolean
  onConversation: ((conversation: Conversation) => void) | undefined
  /** Null for the one that stands. */
  shown: Variant | null
  onShow: (variant: Variant | null) => void
}

export function Variants({ conversationId, message, isLast, onConversation, shown, onShow }: VariantsProps) {
  const writtenAt = (variant: Variant | null) => Date.parse((variant ?? message).created_at)
  // In the order in which they were written, whichever of them was gone on from.
  const all = [...message.variants, null].sort((a, b) => writtenAt(a) - writtenAt(b))
  const at = all.indexOf(shown)
  const path = `/conversations/${conversationId}/messages/${message.id}/variants/${shown?.id}`
  const row = useRef<HTMLDivElement>(null)
  // At an end its button cannot be pressed: the other one takes the focus.
  useLayoutEffect(() => {
    const pressed = row.current!.querySelector("button:disabled")
    if (pressed === document.activeElement) row.current!.querySelector<HTMLElement>("button:enabled")?.focus()
  }, [shown])
  const choose = useAction(async () => onConversation?.(await api.post<Conversation>(path)))
  return (
    <div class="row variants" ref={row}>
      <Button
        kind="quiet"
        icon="back"
        label={t("Earlier answer")}
        disabled={at === 0}
        onClick={() => onShow(all[at - 1]!)}
      />
      <span class="soft small">
        {t("{number} of {total}", { number: count(at + 1), total: count(all.length) })}
        {shown && ` · ${shown.model} · ${dateTime(shown.created_at)}`}
      </span>
      <Button
        kind="quiet"
        icon="forward"
        label={t("Later answer")}
        disabled={at === all.length - 1}
        onClick={() => onShow(all[at + 1]!)}
      />
      {shown && isLast && onConversation && (
        <Button busy={choose.busy} onClick={() => void choose.run()}>
          {t("Go on from this answer")}
        </Button>
      )}
      <Problem error={choose.error} />
    </div>
  )
}
