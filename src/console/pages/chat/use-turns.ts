/** The turns of the open conversation: asked, followed while they are written, stopped, asked anew. */
import { useEffect, useRef, useState } from "preact/hooks"
import { ApiError, api, isGone } from "../../api.ts"
import type { Loaded } from "../../loading.ts"
import { doing } from "../../phases.ts"
import { type Draft, emptyDraft, followReply, type Question } from "../../reply.ts"
import { go } from "../../router.tsx"
import { useAccount } from "../../session.ts"
import { t } from "../../text.ts"
import { notify } from "../../ui/toast.tsx"
import type { Conversation, Message } from "../../wire.ts"
import { imageOf } from "./sight.ts"
import { nameUnsent } from "./unsent.ts"

/** What a stream told about a reply and the stored message does not keep. */
export type ReplyNotes = Pick<Draft, "thinking" | "redaction" | "calls">

/** A changed question that could not be asked. */
export interface EditedQuestion {
  messageId: string
  text: string
}

/** What is asked of the daemon, and how it shows. */
interface Ask {
  method: "GET" | "POST"
  path: string
  body?: object
  /** Shown above the reply; null where the stored messages have it. */
  question: Question | null
  /** A question that is stored nowhere yet goes back to the composer when it cannot be sent. */
  isNew?: boolean
  /** The daemon has not begun on it. */
  onRefused?: () => void
}

interface Failed {
  message: string
  hint?: string | undefined
}

export type Turns = ReturnType<typeof useTurns>

interface Running {
  abort: AbortController
  conversationId: string | undefined
  /** What shows of it. */
  draft: Draft
  /** Nothing is stored of it: an error of the last stored message is another one. */
  isRefused?: boolean
}

/**
 * Long, because what begins, follows and ends a turn shares the state of one reply, and hooks keep it in one function.
 * @param request the settings that go with every message
 * @param onChange the list of conversations should be read again
 * @param onLeave another conversation has been opened; not for one that has just begun here
 */
export function useTurns(
  conversationId: string | undefined,
  conversation: Loaded<Conversation | null>,
  request: () => object,
  onChange: () => void,
  onLeave: () => void,
) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const [failure, setFailure] = useState<Failed>()
  const [returned, setReturned] = useState<Question | null>(null)
  const [edited, setEdited] = useState<EditedQuestion>()
  // What was streamed, where the stored conversation cannot be read afterwards: no reply is under way.
  const [left, setLeft] = useState<Draft | null>(null)
  const [notes, setNotes] = useState<ReadonlyMap<string, ReplyNotes>>(new Map())
  const running = useRef<Running | null>(null)
  const followed = useRef(new Set<string>())
  const { workspace } = useAccount().me
  const isLost = isGone(conversation.error)
  const current = conversation.data?.conversation_id === conversationId && !isLost ? conversation.data : null

  // Another conversation is opened: its reply goes on at the daemon, this page stops watching it.
  useEffect(() => {
    if (running.current && running.current.conversationId === conversationId) return
    leave()
    followed.current.clear() // one that is come back to is followed again
    setDraft(null)
    setLeft(null)
    setFailure(undefined)
    setEdited(undefined)
    onLeave()
  }, [conversationId])
  useEffect(() => leave, [])

  // A conversation whose reply is still being written elsewhere is followed.
  const last = current?.messages.at(-1)
  // only a newly loaded record can say that a reply is under way
  useEffect(() => {
    const open = last && (last.role === "user" || (last.role === "assistant" && last.finish_reason === null))
    if (!open || running.current || followed.current.has(last.id)) return
    followed.current.add(last.id) // once: a reply that was never written would be asked for again and again
    void watch({ method: "GET", path: `/conversations/${conversationId}/events`, question: null })
  }, [current])

  function leave(): void {
    running.current?.abort.abort()
    running.current = null
  }

  function draw(mine: Running, next: Draft): void {
    if (running.current !== mine) return
    mine.draft = next
    setDraft(next)
    const { messageId, thinking, redaction, calls } = next
    if (messageId) setNotes(before => new Map(before).set(messageId, { thinking, redaction, calls }))
  }

  function begin(draft: Draft): Running {
    const mine: Running = { abort: new AbortController(), conversationId, draft }
    running.current = mine
    setDraft(draft)
    return mine
  }

  /** Nothing is left to say of what was asked before. */
  function forget(): void {
    setFailure(undefined)
    setReturned(null)
    setEdited(undefined)
  }

  async function watch({ method, path, body, question, isNew, onRefused }: Ask): Promise<void> {
    if (method === "POST") forget() // what is followed by itself is not why a message was refused
    const mine = begin(emptyDraft(question))
    const { signal } = mine.abort
    const onDraft = (next: Draft) => draw(mine, next)
    const onConversation = (id: string) => {
      if (running.current !== mine) return void stopUnseen(mine, id)
      mine.conversationId = id
      nameUnsent(workspace.id, id)
      go(`/chat/${id}`, true)
      onChange()
    }
    let failed: Failed | null = null
    try {
      const sent = isNew && question ? await withImages(body, question) : body
      failed = (await followReply({ method, path, body: sent, question, signal, onDraft, onConversation })).error
    } catch (error) {
      const nothingToFollow = method === "GET" && error instanceof ApiError
      // Of a stream that breaks, the stored conversation says more.
      if (running.current === mine && !nothingToFollow && !hasBegun(mine)) {
        mine.isRefused = true
        failed = error as Error
        onRefused?.()
        if (isNew) setReturned(question)
      }
    }
    await end(mine, failed)
  }

  /** Shows what is stored in place of the draft. */
  async function end(mine: Running, failed: Failed | null): Promise<void> {
    if (running.current !== mine) return
    const stored = await read(mine.conversationId)
    if (running.current !== mine) return
    running.current = null
    setDraft(null)
    if (stored instanceof Error) {
      if (hasBegun(mine)) setLeft({ ...mine.draft, error: null })
      return setFailure(isGone(stored) ? { message: t("This conversation has been deleted.") } : (failed ?? stored))
    }
    if (stored) {
      conversation.set(stored)
      setLeft(null)
    }
    // What is shown with the stored message is not said again.
    if (failed && (mine.isRefused || !stored?.messages.at(-1)?.error)) setFailure(failed)
    onChange()
  }

  /** The daemon has not answered: the question comes back, and what becomes of it there is stopped when it is heard of. */
  function giveUp({ draft: { question } }: Running): void {
    running.current = null
    setDraft(null)
    setReturned(question)
  }

  async function stopUnseen({ abort }: Running, id: string): Promise<void> {
    abort.abort()
    await api.post(`/conversations/${id}/cancel`).catch(() => {}) // it may have ended by itself
    onChange()
  }

  return {
    current,
    /** The conversation is gone, or not shared any more. */
    isLost,
    /** The reply that is being written, or was and is stored nowhere that can be read. */
    draft: draft ?? left,
    writing: draft !== null,
    failure,
    returned,
    edited,
    notes,
    /** What became of it otherwise than by a turn. */
    reload() {
      conversation.reload()
      onChange()
    },
    send(text: string, pictures: readonly File[]) {
      const path = conversationId ? `/conversations/${conversationId}` : "/conversations"
      const body = { message: text, ...request() }
      void watch({ method: "POST", path, body, question: { text, pictures }, isNew: true })
    },
    async stop() {
      const mine = running.current
      const givenUpAt = Date.now() + UNANSWERED_MS
      // One that comes before the daemon has begun to write finds nothing to stop.
      while (mine && running.current === mine) {
        if (!mine.conversationId) {
          if (Date.now() > givenUpAt) return giveUp(mine)
          await wait(UNNAMED_MS)
          continue
        }
        const failed = await api.post(`/conversations/${mine.conversationId}/cancel`).then(
          () => null,
          (error: ApiError) => error,
        )
        if (failed) return notify(failed.message)
        await wait(STOP_AGAIN_MS)
      }
    },
    /** Writes a reply anew; with `text` the question before it is changed first. What came after it goes. */
    again(message: Message, text?: string) {
      const shown = current?.messages ?? []
      const at = shown.findLastIndex((other, i) => other.role === "user" && i <= shown.indexOf(message))
      if (!current || at < 0) return
      const onRefused = () => {
        conversation.set(current)
        if (text) setEdited({ messageId: shown[at]!.id, text })
      }
      conversation.set({ ...current, messages: shown.slice(0, at) })
      const path = `/conversations/${conversationId}/messages/${message.id}/regenerate`
      const body = { ...request(), ...(text ? { message: text } : {}) }
      const { content, images } = shown[at]!
      void watch({ method: "POST", path, body, question: { text: text ?? content, pictures: images }, onRefused })
    },
    /** Finishes a reply that was cut. */
    async finish(model: string | undefined) {
      forget()
      const mine = begin({ ...emptyDraft(null), doing: doing(t("Continuing …")) })
      const body = { conversation_id: conversationId, model }
      const failed = await api.post("/continue", body, { signal: mine.abort.signal }).then(
        () => null,
        (error: ApiError) => error,
      )
      await end(mine, failed)
    },
  }
}

/** Null where there is none yet. */
const read = (id: string | undefined): Promise<Conversation | Error | null> =>
  id ? api.get<Conversation>(`/conversations/${id}`).catch((error: Error) => error) : Promise.resolve(null)

/** The daemon has stored the question, and writes. */
const hasBegun = ({ draft }: Running): boolean => draft.messageId !== null

const STOP_AGAIN_MS = 500
/** Between two looks whether the daemon has named a new conversation: until then there is nothing to stop. */
const UNNAMED_MS = 50
/** So long it may take to do so when the reader wants it stopped. */
const UNANSWERED_MS = 3_000

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

async function withImages(body: object | undefined, { pictures }: Question): Promise<object | undefined> {
  const files = pictures.filter(picture => picture instanceof File)
  return files.length === 0 ? body : { ...body, images: await Promise.all(files.map(imageOf)) }
}
