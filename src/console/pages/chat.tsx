import { useEffect, useState } from "preact/hooks"
import { api } from "../api.ts"
import { Lazy } from "../lazy.tsx"
import { useLoaded, useRepeated } from "../loading.ts"
import { Replaced } from "../markdown.tsx"
import type { PageProps } from "../page-props.ts"
import { usePlace } from "../router.tsx"
import { useAccount } from "../session.ts"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import type { Conversation, Message, Source } from "../wire.ts"
import { ChatFoot } from "./chat/chat-foot.tsx"
import { ConversationList } from "./chat/conversation-list.tsx"
import { useFileNames } from "./chat/file-names.ts"
import { Messages, Welcome } from "./chat/messages.tsx"
import { type ChatSettings, requestOf, settingsOf } from "./chat/settings.ts"
import type { ThreadProps } from "./chat/thread.tsx"
import { useTurns } from "./chat/use-turns.ts"
import { Sharing } from "./sharing/sharing.tsx"

/** With all that draws Markdown. */
const loadThread = async () => (await import("./chat/thread.tsx")).Thread
const loadRecord = async () => (await import("./chat/record/record-view.tsx")).RecordView
const loadDocument = async () => (await import("../viewer/beside.tsx")).Beside
const loadExport = async () => (await import("./chat/export.tsx")).Export

/** What is shared goes on elsewhere: between two looks whether it did. */
const FOLLOW_MS = 4_000

export function ChatPage({ rest: [conversationId] }: PageProps) {
  const { query: address } = usePlace()
  const [changes, setChanges] = useState<Partial<ChatSettings>>({})
  const [listShown, setListShown] = useState(false)
  const [listTurn, setListTurn] = useState(0)
  const conversation = useConversation(conversationId)
  const turns = useTurns(
    conversationId,
    conversation,
    () => requestOf(conversationId ? changes : settings),
    () => setListTurn(turn => turn + 1),
    () => setChanges({}), // what was chosen for one conversation says nothing about another
  )
  const { current } = turns
  const readOnly = turns.isLost || current?.shared === true
  useRepeated(current?.shared && !turns.writing ? FOLLOW_MS : null, conversation.reload)
  const panels = usePanels(conversationId, readOnly)
  const settings = { ...settingsOf(current, conversationId ? null : address.get("file")), ...changes }
  const fileName = useFileNames(settings.fileIds.length === 1 ? settings.fileIds : []).get(settings.fileIds[0] ?? "")
  useTitle(current?.title)
  useFreshRedaction()
  return (
    <div class={listShown ? "chat list-shown" : "chat"}>
      <SkipLink />
      <ConversationList
        current={conversationId}
        turn={listTurn}
        onChoose={() => setListShown(false)}
        onToggle={() => setListShown(!listShown)}
        onChanged={conversation.reload}
        shown={listShown}
      />
      <section class="thread" aria-label={t("Conversation")}>
        <Head isNew={!conversationId} current={current ?? null} onShared={turns.reload} />
        <Thread
          conversation={current ?? null}
          readOnly={readOnly}
          onChange={conversation.set}
          turns={turns}
          problem={conversation.error}
          welcome={conversationId ? null : <Welcome fileName={fileName} />}
          onFinish={() => turns.finish(changes.model || current?.model)}
          onCite={panels.cite}
          onRecord={panels.record}
        />
        {!readOnly && (
          <ChatFoot
            conversationId={conversationId}
            settings={settings}
            onChange={change => setChanges({ ...changes, ...change })}
            present={current?.model}
            fileName={fileName}
            turns={turns}
          />
        )}
      </section>
      {panels.shown}
    </div>
  )
}

/** Past the list of conversations. */
const SkipLink = () => (
  <a class="skip" href="#messages">
    {t("Skip to the messages")}
  </a>
)

const Thread = (props: ThreadProps) => {
  const until = <Messages>{props.welcome}</Messages>
  return <Lazy load={loadThread} props={props} until={until} />
}

const useConversation = (id: string | undefined) =>
  useLoaded(id ?? "", async signal => (id ? api.get<Conversation>(`/conversations/${id}`, signal) : null))

interface HeadProps {
  isNew: boolean
  /** Null until it is read. */
  current: Conversation | null
  onShared: () => void
}

function Head({ isNew, current, onShared }: HeadProps) {
  const [exporting, setExporting] = useState(false)
  return (
    <header class="thread-head">
      <h1 dir="auto">
        <Replaced text={current?.title ?? (isNew ? t("New conversation") : "…")} />
      </h1>
      {current && (
        <span class="row">
          <Button kind="quiet" icon="download" label={t("Export")} onClick={() => setExporting(true)} />
          <Sharing path={`/conversations/${current.conversation_id}`} of={current} onSaved={onShared} />
        </span>
      )}
      {current && exporting && (
        <Lazy load={loadExport} props={{ conversation: current, onClose: () => setExporting(false) }} />
      )}
    </header>
  )
}

/** How a reply was made, and the document behind a citation: this one lies over the other, or beside the answer. */
function usePanels(conversationId: string | undefined, readOnly: boolean) {
  const [cited, cite] = useState<Source | null>(null)
  const [recorded, record] = useState<Message | null>(null)
  const shown = (
    <>
      {recorded && conversationId && (
        <Lazy
          load={loadRecord}
          props={{ conversationId, readOnly, message: recorded, onCite: cite, onClose: () => record(null) }}
        />
      )}
      {cited && (
        <Lazy load={loadDocument} props={{ source: cited, over: recorded !== null, onClose: () => cite(null) }} />
      )}
    </>
  )
  return { cite, record, shown }
}

/** Read once: an administrator may have changed it since. */
function useFreshRedaction(): void {
  useEffect(useAccount().reloadRedaction, [])
}

function useTitle(title: string | null | undefined): void {
  useEffect(() => {
    document.title = `${title ?? t("Chat")} · Carrel`
  }, [title])
}
