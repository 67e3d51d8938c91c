import { useEffect, useMemo, useState } from "preact/hooks"
import { count, dateTime } from "../../format.ts"
import { Lazy } from "../../lazy.tsx"
import { type Follows, followsGiven, followsNone, Markdown, Replaced } from "../../markdown.tsx"
import type { Doing } from "../../phases.ts"
import type { Draft } from "../../reply.ts"
import { type Text, t } from "../../text.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import type { Conversation, Message, Source, Variant } from "../../wire.ts"
import { HiddenValues } from "./hidden-values.tsx"
import { AskedMessage, Question } from "./question-view.tsx"
import { useStoredCalls } from "./stored-calls.ts"
import { ToolCalls } from "./tool-calls.tsx"
import type { ReplyNotes } from "./use-turns.ts"
import { Warnings } from "./warnings.tsx"

const loadVariants = async () => (await import("./answer-tools.tsx")).Variants
const loadFeedback = async () => (await import("./answer-tools.tsx")).RateAnswer

/** Why a reply ended, where that is worth saying. */
const ENDINGS: Record<string, Text> = {
  length: "The reply reached its length limit.",
  cancelled: "Stopped.",
  error: "The reply was interrupted.",
}

interface MessageViewProps {
  conversationId: string
  message: Message
  notes: ReplyNotes | undefined
  onCite: (source: Source) => void
  onRecord: (message: Message) => void
  /** Takes the changed conversation; undefined for who only reads it. */
  onConversation: ((conversation: Conversation) => void) | undefined
  /** How many values were replaced for it. */
  hidden: number
  /** What the next message is asked with. */
  isRedactionOn: boolean
  /** The conversation goes on from it. */
  isLast: boolean
  /** For the last reply only. */
  onAgain?: () => void
  onFinish?: () => void
  /** For the last question only. */
  onEdit?: (text: string) => void
  /** Other words for this question, which could not be sent. */
  edited?: string
}

export const MessageView = (props: MessageViewProps) =>
  props.message.role === "user" ? (
    <AskedMessage
      text={props.message.content}
      pictures={props.message.images}
      onEdit={props.onEdit}
      edited={props.edited}
    />
  ) : (
    <Reply {...props} />
  )

function Reply(props: MessageViewProps) {
  const { message } = props
  const [former, setFormer] = useState<Variant | null>(null)
  useEffect(() => setFormer(null), [message])
  const choice = message.variants.length > 0 && (
    <Lazy load={loadVariants} props={{ ...props, shown: former, onShow: setFormer }} />
  )
  // One element for both: the buttons that choose between them stay, and keep the focus.
  return (
    <article
      class={former ? "message reply former" : "message reply"}
      aria-label={former ? otherAnswer(former, message) : t("Reply")}
    >
      {former ? <AnswerText message={former} onCite={props.onCite} /> : <Standing {...props} />}
      {choice}
    </article>
  )
}

const otherAnswer = (shown: Variant, standing: Message): string =>
  Date.parse(shown.created_at) < Date.parse(standing.created_at) ? t("Earlier answer") : t("Later answer")

/** What an answer says, and what it rests on. */
function AnswerText({ message, onCite }: { message: Variant | Message; onCite: (source: Source) => void }) {
  const { content, citations, warnings, finish_reason } = message
  const follows = useMemo(() => followsGiven(warnings), [warnings])
  const ending = ENDINGS[finish_reason ?? ""]
  return (
    <>
      <Cited text={content} sources={citations} onCite={onCite} follows={follows} />
      {ending && <p class="soft small">{t(ending)}</p>}
      <Problem error={"error" in message ? message.error : null} />
      <Citations sources={citations} onCite={source => onCite({ ...source, answer: content })} />
      <Warnings warnings={warnings} />
    </>
  )
}

function Standing({ conversationId, message, notes, ...props }: MessageViewProps) {
  const { onCite, onRecord, onConversation, onAgain, onFinish } = props
  const stored = useStoredCalls(notes ? null : { conversationId, message })
  return (
    <>
      <Thoughts text={notes?.thinking ?? ""} />
      <ToolCalls calls={notes?.calls ?? stored} />
      <AnswerText message={message} onCite={onCite} />
      {props.hidden > 0 ? (
        <HiddenValues
          count={props.hidden}
          kinds={notes?.redaction?.kinds}
          isSwitchedOn={props.isRedactionOn}
          record={`/conversations/${conversationId}/messages/${message.id}/record`}
        />
      ) : (
        notes?.redaction && <NothingHidden />
      )}
      <footer class="row message-foot">
        <span class="soft small" title={dateTime(message.created_at)}>
          {message.model}
        </span>
        <CopyButton text={message.content} label={t("Copy the reply")} />
        <Button kind="quiet" icon="info" label={t("How this answer was made")} onClick={() => onRecord(message)} />
        {onAgain && <Button kind="quiet" icon="refresh" label={t("Ask again")} onClick={onAgain} />}
        {onConversation && <Lazy load={loadFeedback} props={{ conversationId, message, onConversation }} />}
        {onFinish && ENDINGS[message.finish_reason ?? ""] && <Button onClick={onFinish}>{t("Continue")}</Button>}
      </footer>
    </>
  )
}

interface DraftViewProps {
  draft: Draft
  /** It is still being written. */
  writing: boolean
  onCite: (source: Source) => void
  /** Undefined for who only reads it. */
  onStop: (() => void) | undefined
}

export const DraftView = ({ draft, writing, onCite, onStop }: DraftViewProps) => (
  <>
    {draft.question && <Question {...draft.question} />}
    <article class="message reply" aria-label={t("Reply")} aria-busy={writing && !draft.error}>
      <Thoughts text={draft.thinking} />
      <ToolCalls calls={draft.calls} />
      {draft.text && <Cited text={draft.text} sources={draft.sources} onCite={onCite} follows={followsNone} />}
      {writing && !draft.error && <Progress doing={draft.doing} onStop={onStop} />}
      <Problem error={draft.error} />
      {draft.redaction && <HiddenSoFar {...draft.redaction} />}
      <Warnings warnings={draft.warnings} />
    </article>
  </>
)

interface ProgressProps {
  doing: Doing
  onStop: (() => void) | undefined
}

/** What goes on, with a bar and a way out where it is work in parts, which may take minutes. */
function Progress({ doing: { words, parts }, onStop }: ProgressProps) {
  if (!parts) return <p class="soft phase">{words || <span class="caret" />}</p>
  return (
    <div class="row phase">
      <span class="soft">{words}</span>
      <progress max={parts.total} value={parts.done} aria-label={t("Parts done")} />
      {onStop && (
        <Button icon="stop" onClick={onStop}>
          {t("Stop here")}
        </Button>
      )}
    </div>
  )
}

const Thoughts = ({ text }: { text: string }) =>
  text ? (
    <details class="fold thinking">
      <summary>{t("Thinking")}</summary>
      <p dir="auto">{text}</p>
    </details>
  ) : null

/** While the reply is written, by a request that asked for redaction or was made to. */
const HiddenSoFar = ({ ner_count, kinds }: NonNullable<Draft["redaction"]>) =>
  ner_count > 0 ? <HiddenValues count={ner_count} kinds={kinds} isSwitchedOn /> : <NothingHidden />

const NothingHidden = () => <p class="soft small">{t("Redaction is on; nothing had to be replaced.")}</p>

interface CitedProps {
  text: string
  sources: Source[]
  onCite: (source: Source) => void
  follows: Follows
}

export function Cited({ text, sources, onCite, follows }: CitedProps) {
  const byIndex = new Map(sources.map(source => [source.index, source]))
  const cite = (index: number) => onCite({ ...byIndex.get(index)!, answer: text })
  return <Markdown text={text} sources={new Set(byIndex.keys())} onCite={cite} follows={follows} />
}

export function Citations({ sources, onCite }: Omit<CitedProps, "text" | "follows">) {
  if (sources.length === 0) return null
  return (
    <ul class="citations" aria-label={t("Sources")}>
      {sources.map(source => (
        <li key={source.index}>
          <button type="button" class="citation" onClick={() => onCite(source)}>
            <span class="cite">{source.index}</span>
            <span class="name" dir="auto">
              <Replaced text={source.name} />
            </span>
            {source.position.page && <span class="soft">{t("p. {page}", { page: count(source.position.page) })}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
