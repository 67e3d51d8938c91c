import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { ago } from "../../format.ts"
import { Lazy } from "../../lazy.tsx"
import { useLoaded, useSettled } from "../../loading.ts"
import { Replaced } from "../../markdown.tsx"
import { go, Link, usePlace } from "../../router.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Problem, Select, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { ConversationSummary, Page } from "../../wire.ts"
import { Ownership, ShownChoice, useShown } from "../sharing/sharing.tsx"
import { useFolders } from "./folders.ts"

const loadDialog = async () => (await import("./conversation-dialog.tsx")).ConversationDialog

interface ConversationListProps {
  current: string | undefined
  /** Changes when the list should be read again. */
  turn: number
  shown: boolean
  onChoose: () => void
  onToggle: () => void
  /** The open conversation was changed. */
  onChanged: () => void
}

export function ConversationList({ current, turn, shown, onChoose, onToggle, onChanged }: ConversationListProps) {
  const [size, setSize] = useState(30)
  const [changing, setChanging] = useState<ConversationSummary | null>(null)
  const { query: address } = usePlace()
  const { show, parameters } = useShown(address)
  const search = address.get("q") ?? ""
  const folder = address.get("folder") ?? ""
  const lists = useLists({ search, folder, size, parameters }, turn)
  const shownAs = query({ show, q: search, folder })
  const item = (conversation: ConversationSummary) => (
    <Item
      key={conversation.conversation_id}
      conversation={conversation}
      current={conversation.conversation_id === current}
      shown={shownAs}
      onChoose={onChoose}
      onChange={() => setChanging(conversation)}
    />
  )
  return (
    <aside class="conversations" aria-label={t("Conversations")}>
      <Head shown={shown} onToggle={onToggle} />
      <div class="conversation-items">
        <TextField
          label={t("Find a conversation")}
          type="search"
          placeholder={t("Find …")}
          value={search}
          onInput={q => goShowing({ q })}
        />
        <ShownChoice compact show={show} onChange={show => goShowing({ show })} />
        <FolderChoice folder={folder} folders={lists.folders} />
        <Problem error={lists.error} />
        {lists.pinned.length > 0 && <ul aria-label={t("Pinned")}>{lists.pinned.map(item)}</ul>}
        <ul>{lists.others?.map(item)} </ul>
        {lists.hasMore && <Button onClick={() => setSize(Math.min(100, size + 30))}>{t("Show more")}</Button>}
        {lists.others?.length === 0 && lists.pinned.length === 0 && (
          <p class="soft small">{noneWords(search.trim(), show)}</p>
        )}
      </div>
      {changing && (
        <Lazy
          load={loadDialog}
          props={{
            conversation: changing,
            onClose: () => setChanging(null),
            onSaved: () => {
              lists.reload()
              if (changing.conversation_id === current) onChanged()
            },
            onRemoved: () => {
              if (changing.conversation_id === current) go("/chat")
              lists.reload()
            },
          }}
        />
      )}
    </aside>
  )
}

interface Shown {
  search: string
  folder: string
  size: number
  parameters: Record<string, string>
}

/** Pinned conversations stand apart, but for those that were looked for. */
function useLists({ search, folder, size, parameters }: Shown, turn: number) {
  const [saved, setSaved] = useState(0)
  const q = useSettled(search.trim(), 250)
  const isWhole = !q && !folder
  const asked = { q, folder, ...parameters }
  const list = useList({ ...asked, page_size: size, pinned: isWhole ? "false" : "" }, turn)
  const pinned = useList(isWhole ? { ...asked, page_size: 100, pinned: "true" } : null, turn)
  const folders = useFolders(`${turn} ${saved}`)
  return {
    folders,
    pinned: pinned.data?.data ?? [],
    /** Undefined until they are read. */
    others: list.data?.data,
    hasMore: list.data?.pagination.has_next,
    error: list.error,
    reload() {
      list.reload()
      pinned.reload()
      setSaved(saved + 1)
    },
  }
}

/** Nothing is asked for null. */
const useList = (asked: Record<string, string | number> | null, turn: number) => {
  const parameters = asked && query(asked)
  return useLoaded(`${parameters} ${turn}`, async signal =>
    parameters === null ? undefined : api.get<Page<ConversationSummary>>(`/conversations${parameters}`, signal),
  )
}

/** Not shown where there are none. */
const FolderChoice = ({ folder, folders }: { folder: string; folders: readonly string[] }) =>
  folder || folders.length > 0 ? (
    <Select
      compact
      label={t("Folder")}
      value={folder}
      options={[
        ["", t("All folders")],
        ...[...new Set([...folders, ...(folder ? [folder] : [])])].map(name => [name, name] as const),
      ]}
      onChange={folder => goShowing({ folder })}
    />
  ) : null

/** The open conversation stays open. */
function goShowing(change: { show?: string; q?: string; folder?: string }): void {
  const parameters = Object.fromEntries(new URLSearchParams(location.search))
  go(location.pathname + query({ ...parameters, ...change }), true)
}

const noneWords = (q: string, show: string): string =>
  q ? t("No conversation contains these words.") : show ? t("There is none.") : t("No conversations yet.")

const Head = ({ shown, onToggle }: Pick<ConversationListProps, "shown" | "onToggle">) => (
  <div class="row between">
    <Link to="/chat" class="button primary">
      <Icon name="plus" /> {t("New")}
    </Link>
    <span class="list-toggle">
      <Button
        icon="list"
        label={shown ? t("Hide conversations") : t("Show conversations")}
        pressed={shown}
        onClick={onToggle}
      />
    </span>
  </div>
)

interface ItemProps {
  conversation: ConversationSummary
  current: boolean
  /** What the list shows, as addresses hold it. */
  shown: string
  onChoose: () => void
  onChange: () => void
}

const Item = ({ conversation, current, shown, onChoose, onChange }: ItemProps) => (
  <li class={current ? "current" : undefined}>
    <Link
      to={`/chat/${conversation.conversation_id}${shown}`}
      class="conversation-link"
      current={current}
      onGone={onChoose}
    >
      <span class="name" dir="auto">
        {conversation.pinned && <Icon name="pin" />}
        <Replaced text={conversation.title || t("Untitled")} />
      </span>
      <span class="soft small name">
        {ago(conversation.updated_at)}
        <Ownership of={conversation} />
      </span>
    </Link>
    {!conversation.shared && (
      <Button
        kind="quiet"
        icon="more"
        label={t("Change {name}", { name: conversation.title || t("Untitled") })}
        onClick={onChange}
      />
    )}
  </li>
)
