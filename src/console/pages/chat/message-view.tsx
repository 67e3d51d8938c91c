import { useState } from "preact/hooks"
import { dateTime } from "../../format.ts"
import { Markdown, RedactedChip } from "../../markdown.tsx"
import type { Draft } from "../../reply.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Field, focusOnce, Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { Message, Source } from "../../wire.ts"
import type { ReplyNotes } from "./use-turns.ts"

/** Why a reply ended, where that is worth saying. */
const ENDINGS: Record<string, string> = {
  length: "The reply reached its length limit.",
  cancelled: "Stopped.",
  error: "The reply was interrupted.",
}

interface MessageViewProps {
  message: Message
  notes: ReplyNotes | undefined
  onCite: (source: Source) => void
  /** For the last reply only. */
  onAgain?: () => void
  onFinish?: () => void
  /** For the last question only. */
  onEdit?: (text: string) => void
}

export function MessageView({ message, notes, onCite, onAgain, onFinish, onEdit }: MessageViewProps) {
  if (message.role === "user")
    return onEdit ? <EditableQuestion text={message.content} onEdit={onEdit} /> : <Question text={message.content} />
  const ending = ENDINGS[message.finish_reason ?? ""]
  return (
    <article class="message reply" aria-label="Reply">
      <Notes redaction={notes?.redaction ?? null} thinking={notes?.thinking ?? ""} />
      <Warnings messages={message.warnings.map(warning => warning.message)} />
      <Cited text={message.content} sources={message.citations} onCite={onCite} />
      {ending && <p class="soft small">{ending}</p>}
      <Problem error={message.error} />
      <Citations sources={message.citations} onCite={onCite} />
      <footer class="row message-foot">
        <span class="soft small" title={dateTime(message.created_at)}>
          {message.model}
          {message.ner_count > 0 && ` · ${message.ner_count} redacted`}
        </span>
        <CopyButton text={message.content} label="Copy the reply" />
        {onAgain && <Button kind="quiet" icon="refresh" label="Ask again" onClick={onAgain} />}
        {onFinish && ending && <Button onClick={onFinish}>Continue</Button>}
      </footer>
    </article>
  )
}

const Question = ({ text }: { text: string }) => (
  <article class="message question" aria-label="Your message">
    <Markdown text={text} />
  </article>
)

function EditableQuestion({ text, onEdit }: { text: string; onEdit: (text: string) => void }) {
  const [edited, setEdited] = useState<string | null>(null)
  if (edited === null)
    return (
      <div class="question-frame">
        <Question text={text} />
        <Button kind="quiet" icon="edit" label="Edit the question" onClick={() => setEdited(text)} />
      </div>
    )
  return (
    <form
      class="question-edit stack"
      onSubmit={event => {
        event.preventDefault()
        setEdited(null)
        onEdit(edited.trim())
      }}
    >
      <Field label="Question">
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
          Ask
        </Button>
        <Button onClick={() => setEdited(null)}>Cancel</Button>
      </footer>
    </form>
  )
}

interface DraftViewProps {
  draft: Draft
  onCite: (source: Source) => void
}

export const DraftView = ({ draft, onCite }: DraftViewProps) => (
  <>
    {draft.question !== null && <Question text={draft.question} />}
    <article class="message reply" aria-label="Reply" aria-busy={!draft.error}>
      <Notes {...draft} />
      <Warnings messages={draft.warnings} />
      {draft.text && <Cited text={draft.text} sources={draft.sources} onCite={onCite} />}
      {!draft.error && <p class="soft phase">{draft.phase || <span class="caret" />}</p>}
      <Problem error={draft.error} />
    </article>
  </>
)

const Notes = ({ redaction, thinking }: ReplyNotes) => (
  <>
    {redaction && <Redacted {...redaction} />}
    {thinking && (
      <details class="fold thinking">
        <summary>Thinking</summary>
        <p dir="auto">{thinking}</p>
      </details>
    )}
  </>
)

export const Warnings = ({ messages }: { messages: string[] }) => (
  <>
    {messages.map(message => (
      <p key={message} class="notice">
        <Icon name="warning" /> {message}
      </p>
    ))}
  </>
)

function Redacted({ ner_count, kinds }: { ner_count: number; kinds: Record<string, number> }) {
  if (ner_count === 0) return <p class="soft small">Redaction is on; nothing had to be replaced.</p>
  return (
    <p class="labels">
      <Icon name="shield" />
      <span class="soft small">Replaced</span>
      {Object.entries(kinds).map(([kind, times]) => (
        <RedactedChip key={kind} kind={kind} times={times} />
      ))}
    </p>
  )
}

interface CitedProps {
  text: string
  sources: Source[]
  onCite: (source: Source) => void
}

export function Cited({ text, sources, onCite }: CitedProps) {
  const byIndex = new Map(sources.map(source => [source.index, source]))
  return <Markdown text={text} sources={new Set(byIndex.keys())} onCite={index => onCite(byIndex.get(index)!)} />
}

export function Citations({ sources, onCite }: Omit<CitedProps, "text">) {
  if (sources.length === 0) return null
  return (
    <ul class="citations" aria-label="Sources">
      {sources.map(source => (
        <li key={source.index}>
          <button type="button" class="citation" onClick={() => onCite(source)}>
            <span class="cite">{source.index}</span>
            <span class="name">
              <bdi>{source.name}</bdi>
            </span>
            {source.position.page && <span class="soft">p. {source.position.page}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
