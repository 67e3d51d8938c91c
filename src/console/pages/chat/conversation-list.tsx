import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { ago } from "../../format.ts"
import { useAction, useLoaded, useSettled } from "../../loading.ts"
import { go, Link, usePlace } from "../../router.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { ConversationSummary, Page } from "../../wire.ts"
import { Ownership, ShownChoice, useShown } from "../sharing/sharing.tsx"

interface ConversationListProps {
  current: string | undefined
  /** Changes when the list should be read again. */
  turn: number
  shown: boolean
  onChoose: () => void
  onToggle: () => void
  /** The open conversation has another title. */
  onRenamed: () => void
}

export function ConversationList({ current, turn, shown, onChoose, onToggle, onRenamed }: ConversationListProps) {
  const [search, setSearch] = useState("")
  const [size, setSize] = useState(30)
  const [renaming, setRenaming] = useState<ConversationSummary | null>(null)
  const [removing, setRemoving] = useState<ConversationSummary | null>(null)
  const { show, parameters } = useShown(usePlace().query)
  const q = useSettled(search.trim(), 250)
  const asked = query({ page_size: size, q, ...parameters })
  const list = useLoaded(`${asked} ${turn}`, signal =>
    api.get<Page<ConversationSummary>>(`/conversations${asked}`, signal),
  )
  return (
    <aside class="conversations" aria-label="Conversations">
      <Head shown={shown} onToggle={onToggle} />
      <div class="conversation-items">
        <TextField label="Find a conversation" type="search" placeholder="Find …" value={search} onInput={setSearch} />
        <ShownChoice compact show={show} onChange={goShowing} />
        <Problem error={list.error} />
        <ul>
          {list.data?.data.map(conversation => (
            <Item
              key={conversation.conversation_id}
              conversation={conversation}
              current={conversation.conversation_id === current}
              show={show}
              onChoose={onChoose}
              onChange={() => setRenaming(conversation)}
            />
          ))}
        </ul>
        {list.data?.pagination.has_next && <Button onClick={() => setSize(Math.min(100, size + 30))}>Show more</Button>}
        {list.data?.data.length === 0 && <p class="soft small">{noneWords(q, show)}</p>}
      </div>
      {renaming && (
        <Rename
          conversation={renaming}
          onClose={() => setRenaming(null)}
          onSaved={() => {
            list.reload()
            if (renaming.conversation_id === current) onRenamed()
          }}
          onRemove={() => {
            setRemoving(renaming)
            setRenaming(null)
          }}
        />
      )}
      {removing && (
        <Removal
          conversation={removing}
          onClose={() => setRemoving(null)}
          onRemoved={() => {
            if (removing.conversation_id === current) go("/chat")
            list.reload()
          }}
        />
      )}
    </aside>
  )
}

/** The open conversation stays open. */
function goShowing(show: string): void {
  const parameters = Object.fromEntries(new URLSearchParams(location.search))
  go(location.pathname + query({ ...parameters, show }), true)
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
  /** Whose the list shows. */
  show: string
  onChoose: () => void
  onChange: () => void
}

const Item = ({ conversation, current, show, onChoose, onChange }: ItemProps) => (
  <li class={current ? "current" : undefined}>
    <Link
      to={`/chat/${conversation.conversation_id}${query({ show })}`}
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

interface RemovalProps {
  conversation: ConversationSummary
  onClose: () => void
  onRemoved: () => void
}

const Removal = ({ conversation, onClose, onRemoved }: RemovalProps) => (
  <Confirm
    title="Delete this conversation?"
    action="Delete"
    onClose={onClose}
    onConfirm={async () => {
      await api.delete(`/conversations/${conversation.conversation_id}`)
      onRemoved()
    }}
  >
    <p dir="auto">{conversation.title}</p>
  </Confirm>
)

interface RenameProps {
  conversation: ConversationSummary
  onClose: () => void
  onSaved: () => void
  onRemove: () => void
}

function Rename({ conversation, onClose, onSaved, onRemove }: RenameProps) {
  const [title, setTitle] = useState(conversation.title ?? "")
  const save = useAction(async () => {
    await api.patch(`/conversations/${conversation.conversation_id}`, { title })
    onSaved()
    onClose()
  })
  return (
    <Dialog title="Conversation" onClose={onClose}>
      <Form class="stack" action={save}>
        <TextField label="Title" name="title" required autofocus value={title} onInput={setTitle} error={save.error} />
        <Problem error={save.error} />
        <footer class="row between">
          <Button icon="trash" onClick={onRemove}>
            Delete
          </Button>
          <Button kind="primary" type="submit" busy={save.busy}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
