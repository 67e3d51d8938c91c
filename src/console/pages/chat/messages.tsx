import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Draft } from "../../reply.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { Message } from "../../wire.ts"
import type { ThreadPart } from "./thread-part.ts"

/** From an end of what is drawn: there the next messages are drawn. */
const NEAR_PIXELS = 1_000

interface MessagesProps {
  /** Length of the text that grows. */
  follow: number
  count: number
  /** The message that is being answered: one that is sent is looked at, wherever the reader was. */
  asked?: object | null
  part?: ThreadPart
  children: ComponentChildren
}

/** Keeps the end in sight while text grows, unless the reader has scrolled away from it. */
export function Messages({ follow, count, asked, part, children }: MessagesProps) {
  const element = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const steady = useSteady(element, part)
  const toNewest = () => {
    atEnd.current = true
    part?.toNewest()
  }
  useEffect(() => {
    if (asked) toNewest()
  }, [asked])
  // new messages and new text are what is followed
  useEffect(() => {
    const box = element.current
    if (box && atEnd.current) box.scrollTop = box.scrollHeight
  }, [follow, count, asked, part?.to])
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
        const below = scrollHeight - scrollTop - clientHeight
        atEnd.current = !part?.hasLater && below < 60
        steady.note()
        if (part && part.from > 0 && scrollTop < NEAR_PIXELS) part.move("earlier")
        else if (part?.hasLater && below < NEAR_PIXELS) part.move("later")
      }}
    >
      <div class="messages-inside">
        {part && part.from > 0 && <Button onClick={() => part.move("earlier")}>{t("Show earlier messages")}</Button>}
        {children}
        {part?.hasLater && (
          <div class="row">
            <Button onClick={() => part.move("later")}>{t("Show later messages")}</Button>
            <Button onClick={toNewest}>{t("Go to the newest")}</Button>
          </div>
        )}
      </div>
    </div>
  )
}

/** What is read stays where it is while messages before it come and go. */
function useSteady(element: { current: HTMLDivElement | null }, part: ThreadPart | undefined) {
  const read = useRef<{ message: Element; top: number } | undefined>(undefined)
  const note = () => {
    const box = element.current!
    const message = [...box.firstElementChild!.children].find(
      each => each.tagName !== "BUTTON" && each.getBoundingClientRect().bottom > topOf(box),
    )
    read.current = message && { message, top: topOf(message) }
  }
  useLayoutEffect(() => {
    const before = read.current
    if (before?.message.isConnected) element.current!.scrollTop += topOf(before.message) - before.top
    note()
  }, [part?.from, part?.to])
  return { note }
}

const topOf = (element: Element): number => element.getBoundingClientRect().top

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
