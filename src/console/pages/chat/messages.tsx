import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { Draft } from "../../reply.ts"
import { t } from "../../text.ts"
import { Icon } from "../../ui/icons.tsx"
import type { Message } from "../../wire.ts"

interface MessagesProps {
  /** Length of the text that grows. */
  follow: number
  count: number
  children: ComponentChildren
}

/** Keeps the end in sight while text grows, unless the reader has scrolled away from it. */
export function Messages({ follow, count, children }: MessagesProps) {
  const element = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  // new messages and new text are what is followed
  useEffect(() => {
    const box = element.current
    if (box && atEnd.current) box.scrollTop = box.scrollHeight
  }, [follow, count])
  return (
    <div
      ref={element}
      class="messages"
      role="log"
      aria-label={t("Messages")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={event => {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
        atEnd.current = scrollHeight - scrollTop - clientHeight < 60
      }}
    >
      <div class="messages-inside">{children}</div>
    </div>
  )
}

export const Welcome = ({ fileName }: { fileName: string | undefined }) => (
  <div class="empty">
    <Icon name="chat" />
    <h2>{fileName ? t("Ask about this file") : t("Ask your library")}</h2>
    <p dir="auto">
      {fileName ?? t("Answers cite the passages they are based on. Select a number to read the passage.")}
    </p>
  </div>
)

/** The stored messages less those that the draft shows: a record that was read meanwhile may hold them already. */
export function withoutTurn(messages: Message[], draft: Draft): Message[] {
  const last = messages.at(-1)
  const isReply = last?.role === "assistant" && (last.finish_reason === null || last.id === draft.messageId)
  const earlier = isReply ? messages.slice(0, -1) : messages
  return draft.question !== null && earlier.at(-1)?.role === "user" ? earlier.slice(0, -1) : earlier
}
