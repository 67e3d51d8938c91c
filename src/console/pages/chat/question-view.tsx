import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Markdown } from "../../markdown.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Field, focusOnce } from "../../ui/form.tsx"
import { type Picture, SentPictures } from "./pictures.tsx"

interface AskedMessageProps {
  text: string
  pictures: readonly Picture[]
  onEdit?: ((text: string) => void) | undefined
  /** The words to begin the change with, where some were written already. */
  edited?: string | undefined
}

export const Question = ({ text, pictures }: Omit<AskedMessageProps, "onEdit" | "edited">) => (
  <article class="message question" aria-label={t("Your message")}>
    <SentPictures pictures={pictures} />
    <Markdown text={text} />
  </article>
)

/** A message of the user; with `onEdit` it can be asked in other words. */
export function AskedMessage({ text, pictures, onEdit, edited: begun }: AskedMessageProps) {
  const [edited, setEdited] = useState<string | null>(begun ?? null)
  const opener = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (edited === null && wasOpen.current) opener.current?.querySelector<HTMLElement>(":scope > .button")?.focus()
    wasOpen.current = edited !== null
  }, [edited])
  if (!onEdit) return <Question text={text} pictures={pictures} />
  if (edited === null)
    return (
      <div class="question-frame" ref={opener}>
        <Question text={text} pictures={pictures} />
        <Button kind="quiet" icon="edit" label={t("Edit the question")} onClick={() => setEdited(text)} />
      </div>
    )
  return (
    <form
      class="question-edit stack"
      onKeyDown={event => {
        if (event.key !== "Escape" || event.isComposing) return
        event.preventDefault()
        setEdited(null)
      }}
      onSubmit={event => {
        event.preventDefault()
        setEdited(null)
        onEdit(edited.trim())
      }}
    >
      <Field label={t("Question")}>
        {attributes => (
          <textarea
            {...attributes}
            class="input"
            dir="auto"
            rows={3}
            maxLength={100_000}
            ref={focusOnce}
            value={edited}
            onInput={event => setEdited(event.currentTarget.value)}
          />
        )}
      </Field>
      <footer class="row">
        <Button kind="primary" type="submit" disabled={!edited.trim()}>
          {t("Ask")}
        </Button>
        <Button onClick={() => setEdited(null)}>{t("Cancel")}</Button>
      </footer>
    </form>
  )
}
