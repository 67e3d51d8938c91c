import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Draft } from "../../reply.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { Message } from "../../wire.ts"
import type { ThreadPart } from "./thread-part.ts"

/** From an end of what is drawn: there the next messages are drawn. */
const NEAR_PIXELS = 1_000
/** From the end: who goes down so far means to see what comes. */
const NEAR_END_PIXELS = 60

interface MessagesProps {
  /** The conversation: another one begins at its end. */
  of?: string | undefined
  /** The message that is being answered: one that is sent is looked at, wherever the reader was. */
  asked?: object | null
  part?: ThreadPart
  children: ComponentChildren
}

/** Keeps the end in sight while text grows, unless the reader has scrolled away from it: then a button leads back there. */
export function Messages({ of, asked, part, children }: MessagesProps) {
  const element = useRef<HTMLDivElement>(null)
  const end = useEnd(element)
  const steady = useSteady(element, part)
  const toNewest = () => {
    part?.toNewest()
    end.follow()
  }
  useLayoutEffect(() => (of ? end.follow : undefined), [of])
  useLayoutEffect(() => {
    if (asked) toNewest()
  }, [asked])
  useLayoutEffect(end.keep, [of, part?.to])
  return (
    <div class="messages-frame">
      <div
        ref={element}
        id="messages"
        class="messages"
        role="log"
        aria-label={t("Messages")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: box }) => {
          end.note(part?.hasLater ?? false)
          steady.note()
          if (part && part.from > 0 && box.scrollTop < NEAR_PIXELS) part.move("earlier")
          else if (part?.hasLater && below(box) < NEAR_PIXELS) part.move("later")
        }}
      >
        <div class="messages-inside">
          {part && part.from > 0 && <Button onClick={() => part.move("earlier")}>{t("Show earlier messages")}</Button>}
          {children}
          {part?.hasLater && <Button onClick={() => part.move("later")}>{t("Show later messages")}</Button>}
        </div>
      </div>
      {(end.isFar || part?.hasLater) && (
        <div class="to-newest">
          <Button
            onClick={() => {
              toNewest()
              element.current!.focus({ preventScroll: true })
            }}
          >
            {t("Go to the newest")}
          </Button>
        </div>
      )}
    </div>
  )
}

/** The end is in sight, and stays there while what is before it and the box change their height. */
function useEnd(element: { current: HTMLDivElement | null }) {
  const isFollowed = useRef(true)
  const top = useRef(0)
  /** The end is more than a screen away. */
  const [isFar, setFar] = useState(false)
  const keep = () => {
    const box = element.current
    if (!box) return
    if (isFollowed.current) {
      box.scrollTop = box.scrollHeight
      top.current = box.scrollTop
    }
    setFar(below(box) > box.clientHeight)
  }
  useLayoutEffect(() => {
    const heights = new ResizeObserver(keep)
    heights.observe(element.current!)
    heights.observe(element.current!.firstElementChild!)
    return () => heights.disconnect()
  }, [])
  return {
    isFar,
    keep,
    follow: () => {
      isFollowed.current = true
      keep()
    },
    /**
     * After a scroll. Only the reader goes up and stays before the end: what grows moves nothing, and what shrinks leaves the
     * box at its end. Whoever goes down to it follows it again.
     */
    note: (hasLater: boolean) => {
      const box = element.current!
      if (box.scrollTop < top.current && below(box) > 1) isFollowed.current = false
      else if (box.scrollTop > top.current && below(box) < NEAR_END_PIXELS) isFollowed.current = !hasLater
      top.current = box.scrollTop
      setFar(below(box) > box.clientHeight)
    },
  }
}

/** Pixels of the messages behind what is seen. */
const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight

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
