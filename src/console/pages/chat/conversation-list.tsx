import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { ago } from "../../format.ts"
import { Lazy } from "../../lazy.tsx"
import { useLoaded, useSettled } from "../../loading.ts"
import { go, Link, usePlace } from "../../router.tsx"
import { Button } from "../../ui/button.tsx"
import { Problem, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { ConversationSummary, Page } from "../../wire.ts"
import { Ownership, ShownChoice, useShown } from "../sharing/sharing.tsx"

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
  const q = useSettled(search.trim(), 250)
  const asked = query({ page_size: size, q, ...parameters })
  const list = useLoaded(`${asked} ${turn}`, signal =>
    api.get<Page<ConversationSummary>>(`/conversations${asked}`, signal),
  )
  return (
    <aside class="conversations" aria-label="Conversations">
      <Head shown={shown} onToggle={onToggle} />
      <div class="conversation-items">
        <TextField
          label="Find a conversation"
          type="search"
          placeholder="Find …"
          value={search}
          onInput={q => goShowing({ q })}
        />
        <ShownChoice compact show={show} onChange={show => goShowing({ show })} />
        <Problem error={list.error} />
        <ul>
          {list.data?.data.map(conversation => (
            <Item
              key={conversation.conversation_id}
              conversation={conversation}
              current={conversation.conversation_id === current}
              shown={query({ show, q: search })}
              onChoose={onChoose}
              onChange={() => setChanging(conversation)}
            />
          ))}
        </ul>
        {list.data?.pagination.has_next && <Button onClick={() => setSize(Math.min(100, size + 30))}>Show more</Button>}
        {list.data?.data.length === 0 && <p class="soft small">{noneWords(q, show)}</p>}
      </div>
      {changing && (
        <Lazy
          load={loadDialog}
          props={{
            conversation: changing,
            onClose: () => setChanging(null),
            onSaved: () => {
              list.reload()
              if (changing.conversation_id === current) onChanged()
            },
            onRemoved: () => {
              if (changing.conversation_id === current) go("/chat")
              list.reload()
            },
          }}
        />
      )}
    </aside>
  )
}

/** The open conversation stays open. */
function goShowing(change: { show?: string; q?: string }): void {
  const parameters = Object.fromEntries(new URLSearchParams(location.search))
  go(location.pathname + query({ ...parameters, ...change }), true)
}

const noneWords = (q: string, show: string): string =>
  q ? "No conversation contains these words." : show ? "There is none." : "No conversations yet."

const Head = ({ shown, onToggle }: Pick<ConversationListProps, "shown" | "onToggle">) => (
  <div class="row between">
    <Link to="/chat" class="button primary">
      <Icon name="plus" /> New
    </Link>
    <span class="list-toggle">
      <Button
        icon="list"
        label={shown ? "Hide conversations" : "Show conversations"}
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
      <span class="name">
        <bdi>{conversation.title || "Untitled"}</bdi>
      </span>
      <span class="soft small name">
        {ago(conversation.updated_at)}
        <Ownership of={conversation} />
      </span>
    </Link>
    {!conversation.shared && (
      <Button kind="quiet" icon="more" label={`Change ${conversation.title || "Untitled"}`} onClick={onChange} />
    )}
  </li>
)
