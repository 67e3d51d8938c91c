import { type ComponentChildren, Fragment } from "preact"
import type { Loaded } from "../../loading.ts"
import { Problem } from "../../ui/form.tsx"
import type { Conversation, Message, Source } from "../../wire.ts"
import { HistorySummary, summaryPlace } from "./history-summary.tsx"
import { DraftView, MessageView } from "./message-view.tsx"
import { Messages, withoutTurn } from "./messages.tsx"
import { useThreadPart } from "./thread-part.ts"
import type { Turns } from "./use-turns.ts"

export interface ThreadProps {
  conversation: Conversation | null
  /** It is shared to read only. */
  readOnly: boolean
  onChange: (conversation: Conversation) => void
  turns: Turns
  problem: Loaded<unknown>["error"]
  /** Stands where nothing was asked yet. */
  welcome: ComponentChildren
  onFinish: () => void
  onCite: (source: Source) => void
  /** How a reply was made is to be shown. */
  onRecord: (message: Message) => void
}

/** The messages of a conversation, and the reply that is being written. */
export function Thread({
  conversation,
  readOnly,
  onChange,
  turns,
  problem,
  welcome,
  onFinish,
  onCite,
  onRecord,
}: ThreadProps) {
  const { draft, writing, failure, notes, edited } = turns
  const messages = conversation?.messages ?? []
  const shown = draft ? withoutTurn(messages, draft) : messages
  const lastQuestion = shown.findLast(message => message.role === "user")
  const place = conversation ? summaryPlace(conversation) : undefined
  const mayAsk = !readOnly && !draft
  const part = useThreadPart(conversation?.conversation_id, shown.length)
  const summary = conversation && !readOnly && <HistorySummary conversation={conversation} onChange={onChange} />
  return (
    <Messages of={conversation?.conversation_id} asked={draft?.question ?? null} part={part}>
      <Problem error={problem} />
      {!draft && welcome}
      {place === null && part.from === 0 && summary}
      {shown.slice(part.from, part.to).map((message, at) => (
        <Fragment key={message.id}>
          <MessageView
            conversationId={conversation!.conversation_id}
            message={message}
            notes={notes.get(message.id)}
            onCite={onCite}
            onRecord={onRecord}
            hidden={hiddenIn(message, shown[part.from + at - 1])}
            isRedactionOn={conversation!.settings.redaction}
            onConversation={readOnly ? undefined : onChange}
            isLast={message === shown.at(-1) && mayAsk}
            {...(message === shown.at(-1) && mayAsk ? { onAgain: () => turns.again(message), onFinish } : {})}
            {...(message === lastQuestion && mayAsk ? { onEdit: text => turns.again(message, text) } : {})}
            {...(message.id === edited?.messageId ? { edited: edited.text } : {})}
          />
          {place === message.id && summary}
        </Fragment>
      ))}
      {draft && !part.hasLater && (
        <DraftView draft={draft} writing={writing} onCite={onCite} onStop={readOnly ? undefined : turns.stop} />
      )}
      <Problem error={failure} />
    </Messages>
  )
}

/** Values that were replaced for a reply: in the question, in what was found for it, and in what the model wrote. */
const hiddenIn = (reply: Message, before: Message | undefined): number =>
  reply.ner_count + (before?.role === "user" ? before.ner_count : 0)
