import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { api } from "../api.ts"
import { type Loaded, useLoaded } from "../loading.ts"
import type { PageProps } from "../page-props.ts"
import { usePlace } from "../router.tsx"
import { useAccount } from "../session.ts"
import { Problem } from "../ui/form.tsx"
import type { Conversation, FileRecord, Message, Source } from "../wire.ts"
import { Composer } from "./chat/composer.tsx"
import { ConversationList } from "./chat/conversation-list.tsx"
import { DraftView, MessageView } from "./chat/message-view.tsx"
import { Messages, Welcome, withoutTurn } from "./chat/messages.tsx"
import { type ChatSettings, requestOf, settingsOf } from "./chat/settings.ts"
import { SettingsBar } from "./chat/settings-bar.tsx"
import { SourceView } from "./chat/source-view.tsx"
import { useTurns } from "./chat/use-turns.ts"

export function ChatPage({ rest: [conversationId] }: PageProps) {
  const { query: address } = usePlace()
  const { reloadRedaction } = useAccount()
  const [changes, setChanges] = useState<Partial<ChatSettings>>({})
  const [opened, setOpened] = useState<Source | null>(null)
  const [listShown, setListShown] = useState(false)
  const [listTurn, setListTurn] = useState(0)
  const conversation = useLoaded(conversationId ?? "", async signal =>
    conversationId ? api.get<Conversation>(`/conversations/${conversationId}`, signal) : null,
  )
  const turns = useTurns(
    conversationId,
    conversation,
    () => requestOf(conversationId ? changes : settings),
    () => setListTurn(turn => turn + 1),
    () => setChanges({}), // what was chosen for one conversation says nothing about another
  )
  const { current } = turns
  const settings = { ...settingsOf(current, conversationId ? null : address.get("file")), ...changes }
  const fileName = useFileName(settings.fileIds)
  useTitle(current?.title)
  // Once: an administrator may have changed it since.
  useEffect(reloadRedaction, [])
  return (
    <div class={listShown ? "chat list-shown" : "chat"}>
      <ConversationList
        current={conversationId}
        turn={listTurn}
        onChoose={() => setListShown(false)}
        onToggle={() => setListShown(!listShown)}
        onRenamed={conversation.reload}
        shown={listShown}
      />
      <section class="thread" aria-label="Conversation">
        <header class="thread-head">
          <h1 dir="auto">{current?.title ?? (conversationId ? "…" : "New conversation")}</h1>
        </header>
        <Thread
          messages={current?.messages ?? []}
          turns={turns}
          problem={conversation.error}
          welcome={conversationId ? null : <Welcome fileName={fileName} />}
          onFinish={() => turns.finish(changes.model || current?.model)}
          onCite={setOpened}
        />
        <div class="composer-frame">
          <SettingsBar
            settings={settings}
            onChange={change => setChanges({ ...changes, ...change })}
            present={current?.model}
            fileName={fileName}
          />
          <Composer writing={turns.draft !== null} returned={turns.returned} onSend={turns.send} onStop={turns.stop} />
        </div>
      </section>
      {opened && <SourceView source={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

function useTitle(title: string | null | undefined): void {
  useEffect(() => {
    document.title = `${title ?? "Chat"} · Carrel`
  }, [title])
}

/** Name of the one file that a conversation is about. */
function useFileName(fileIds: readonly string[]): string | undefined {
  const fileId = fileIds.length === 1 ? fileIds[0] : undefined
  const file = useLoaded(fileId ?? "", async signal =>
    fileId ? api.get<FileRecord>(`/libraries/${fileId}`, signal).catch(() => null) : null,
  )
  return fileId && file.data?.id === fileId ? file.data.name : undefined
}

interface ThreadProps {
  messages: Message[]
  turns: ReturnType<typeof useTurns>
  problem: Loaded<unknown>["error"]
  /** Stands where nothing was asked yet. */
  welcome: ComponentChildren
  onFinish: () => void
  onCite: (source: Source) => void
}

function Thread({ messages, turns, problem, welcome, onFinish, onCite }: ThreadProps) {
  const { draft, failure, notes } = turns
  const shown = draft ? withoutTurn(messages, draft) : messages
  const lastQuestion = shown.findLast(message => message.role === "user")
  return (
    <Messages follow={draft?.text.length ?? 0} count={messages.length}>
      <Problem error={problem} />
      {!draft && welcome}
      {shown.map((message, i) => (
        <MessageView
          key={message.id}
          message={message}
          notes={notes.get(message.id)}
          onCite={onCite}
          {...(i === shown.length - 1 && !draft ? { onAgain: () => turns.again(message), onFinish } : {})}
          {...(message === lastQuestion && !draft ? { onEdit: text => turns.again(message, text) } : {})}
        />
      ))}
      {draft && <DraftView draft={draft} onCite={onCite} />}
      <Problem error={failure} />
    </Messages>
  )
}
