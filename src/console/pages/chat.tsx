import { useEffect, useRef, useState } from "preact/hooks"
import { ApiError, api } from "../api.ts"
import { useLoaded } from "../loading.ts"
import type { PageProps } from "../pages.ts"
import { type Draft, emptyDraft, followReply } from "../reply.ts"
import { go, usePlace } from "../router.tsx"
import { Problem } from "../ui/form.tsx"
import { Icon } from "../ui/icons.tsx"
import { notify } from "../ui/toast.tsx"
import type { Conversation, FileRecord, Message, Source } from "../wire.ts"
import { Composer } from "./chat/composer.tsx"
import { ConversationList } from "./chat/conversation-list.tsx"
import { DraftView, Failure, MessageView } from "./chat/message-view.tsx"
import { type ChatSettings, initialSettings, requestOf, SettingsBar } from "./chat/settings-bar.tsx"
import { SourceView } from "./chat/source-view.tsx"

export function ChatPage({ rest: [conversationId] }: PageProps) {
  const { query: address } = usePlace()
  const fileId = address.get("file")
  const [settings, setSettings] = useState<ChatSettings>(initialSettings)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [failure, setFailure] = useState<{ message: string; hint?: string }>()
  const [returned, setReturned] = useState("")
  const [opened, setOpened] = useState<Source | null>(null)
  const [listShown, setListShown] = useState(false)
  const [listTurn, setListTurn] = useState(0)
  const running = useRef<{ abort: AbortController; conversationId: string | undefined } | null>(null)
  const followed = useRef(new Set<string>())
  const file = useLoaded(fileId ?? "", async signal =>
    fileId ? api.get<FileRecord>(`/libraries/${fileId}`, signal) : null,
  )
  const conversation = useLoaded(conversationId ?? "", async signal =>
    conversationId ? api.get<Conversation>(`/conversations/${conversationId}`, signal) : null,
  )
  const current = conversation.data?.conversation_id === conversationId ? conversation.data : null

  useEffect(() => {
    document.title = `${current?.title ?? "Chat"} · Carrel`
  }, [current?.title])

  // Another conversation is opened: its reply goes on at the daemon, this page stops watching it.
  useEffect(() => {
    if (running.current && running.current.conversationId !== conversationId) {
      running.current.abort.abort()
      running.current = null
      setDraft(null)
    }
    setFailure(undefined)
  }, [conversationId])
  useEffect(() => () => running.current?.abort.abort(), [])

  // A conversation whose reply is still being written elsewhere is followed.
  const last = current?.messages.at(-1)
  // only a newly loaded record can say that a reply is under way
  useEffect(() => {
    const open = last && (last.role === "user" || (last.role === "assistant" && last.finish_reason === null))
    if (!open || running.current || followed.current.has(last.id)) return
    followed.current.add(last.id) // once: a reply that was never written would be asked for again and again
    void watch({ method: "GET", path: `/conversations/${conversationId}/events`, question: null })
  }, [current])

  async function watch({ method, path, body, question, isNew }: Ask): Promise<void> {
    const mine = { abort: new AbortController(), conversationId }
    running.current = mine
    setFailure(undefined)
    setReturned("")
    setDraft(emptyDraft(question))
    const onConversation = (id: string) => {
      mine.conversationId = id
      go(`/chat/${id}`, true)
      setListTurn(turn => turn + 1)
    }
    let failed: Draft["error"] = null
    try {
      const { signal } = mine.abort
      const reply = await followReply({ method, path, body, question, signal, onDraft: setDraft, onConversation })
      failed = reply.error
    } catch (error) {
      const nothingToFollow = method === "GET" && error instanceof ApiError
      if (!mine.abort.signal.aborted && !nothingToFollow) setFailure(error as Error)
      if (!mine.abort.signal.aborted && isNew) setReturned(question ?? "")
    }
    if (mine.abort.signal.aborted) return
    if (mine.conversationId) {
      const stored = await api.get<Conversation>(`/conversations/${mine.conversationId}`).catch(() => null)
      if (mine.abort.signal.aborted) return
      if (stored) conversation.set(stored)
      if (stored?.messages.at(-1)?.error) failed = null // shown with the stored message
    }
    running.current = null
    setDraft(null)
    if (failed) setFailure(failed)
    setListTurn(turn => turn + 1)
  }

  const send = (text: string) => {
    const body = { message: text, ...requestOf(settings), ...(fileId && !conversationId ? { file_ids: [fileId] } : {}) }
    const path = conversationId ? `/conversations/${conversationId}` : "/conversations"
    void watch({ method: "POST", path, body, question: text, isNew: true })
  }
  const stop = () => {
    const id = running.current?.conversationId
    if (id) api.post(`/conversations/${id}/cancel`).catch(error => notify(error.message))
    else running.current?.abort.abort()
  }
  /** Writes a reply anew; with `text` the question before it is changed first. What came after it goes. */
  const again = (message: Message, text?: string) => {
    const shown = current?.messages ?? []
    const at = shown.findLastIndex((other, i) => other.role === "user" && i <= shown.indexOf(message))
    if (!current || at < 0) return
    conversation.set({ ...current, messages: shown.slice(0, at) })
    const path = `/conversations/${conversationId}/messages/${message.id}/regenerate`
    const body = { ...requestOf(settings), ...(text ? { message: text } : {}) }
    void watch({ method: "POST", path, body, question: text ?? shown[at]!.content })
  }
  const finish = async () => {
    setDraft({ ...emptyDraft(null), phase: "Writing on …" })
    const body = { conversation_id: conversationId, model: settings.model || current?.model }
    await api.post("/continue", body).catch(setFailure)
    setDraft(null)
    conversation.reload()
  }

  const writing = draft !== null
  const messages = current?.messages ?? []
  const shown = writing ? withoutTurn(messages, draft) : messages
  const lastQuestion = shown.findLast(message => message.role === "user")
  return (
    <div class={listShown ? "chat list-shown" : "chat"}>
      <ConversationList
        current={conversationId}
        turn={listTurn}
        onChoose={() => setListShown(false)}
        onToggle={() => setListShown(!listShown)}
        shown={listShown}
      />
      <section class="thread" aria-label="Conversation">
        <header class="thread-head">
          <h1 dir="auto">{current?.title ?? (conversationId ? "…" : "New conversation")}</h1>
        </header>
        <Messages follow={draft?.text.length ?? 0} count={messages.length}>
          <Problem error={conversation.error} />
          {!conversationId && !draft && <Welcome file={file.data ?? null} />}
          {shown.map((message, i) => (
            <MessageView
              key={message.id}
              message={message}
              onCite={setOpened}
              {...(i === shown.length - 1 && !writing ? { onAgain: () => again(message), onFinish: finish } : {})}
              {...(message === lastQuestion && !writing ? { onEdit: text => again(message, text) } : {})}
            />
          ))}
          {draft && <DraftView draft={draft} onCite={setOpened} />}
          {failure && <Failure error={failure} />}
        </Messages>
        <div class="composer-frame">
          <SettingsBar settings={settings} onChange={setSettings} present={current?.model} />
          <Composer writing={writing} returned={returned} onSend={send} onStop={stop} />
        </div>
      </section>
      {opened && <SourceView source={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

/** What is asked of the daemon, and how it shows. */
interface Ask {
  method: "GET" | "POST"
  path: string
  body?: unknown
  /** Shown above the reply; null where the stored messages have it. */
  question: string | null
  /** A question that is stored nowhere yet goes back to the composer when it cannot be sent. */
  isNew?: boolean
}

/** The stored messages less those that the draft shows: a record that was read meanwhile may hold them already. */
function withoutTurn(messages: Message[], draft: Draft): Message[] {
  const last = messages.at(-1)
  const isReply = last?.role === "assistant" && (last.finish_reason === null || last.id === draft.messageId)
  const earlier = isReply ? messages.slice(0, -1) : messages
  return draft.question !== null && earlier.at(-1)?.role === "user" ? earlier.slice(0, -1) : earlier
}

interface MessagesProps {
  /** Length of the text that grows. */
  follow: number
  count: number
  children: preact.ComponentChildren
}

/** Keeps the end in sight while text grows, unless the reader has scrolled away from it. */
function Messages({ follow, count, children }: MessagesProps) {
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
      aria-label="Messages"
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

const Welcome = ({ file }: { file: FileRecord | null }) => (
  <div class="empty">
    <Icon name="chat" />
    <h2>{file ? "Ask about this file" : "Ask your library"}</h2>
    <p dir="auto">
      {file ? file.name : "Answers cite the passages that they rest on; press a number to read the passage."}
    </p>
  </div>
)
