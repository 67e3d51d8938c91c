/** The palette: pages, actions and conversations by a few letters of their names, without the mouse. */

import { useEffect, useState } from "preact/hooks"
import { api, query } from "./api.ts"
import { useLoaded, useSettled } from "./loading.ts"
import { PAGES, type PageEntry } from "./pages.ts"
import { go } from "./router.tsx"
import { mayOpen, useAccount } from "./session.ts"
import { TABS, type TabbedPage, tabsOf } from "./tabs.ts"
import { t } from "./text.ts"
import { Dialog } from "./ui/dialog.tsx"
import { focusOnce } from "./ui/form.tsx"
import { Icon, type IconName } from "./ui/icons.tsx"
import type { ConversationSummary, Page, UserRole } from "./wire.ts"

const TYPING_MS = 200
const FOUND = 8

interface Command {
  id: string
  title: string
  icon: IconName
  run: () => void
}

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const commands = useCommands(text.trim())
  useEffect(() => setAt(0), [text])
  const chosen = commands[Math.min(at, commands.length - 1)]
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const move = (by: number) => setAt((Math.min(at, commands.length - 1) + by + commands.length) % commands.length)
  return (
    <Dialog title={t("Go to")} onClose={onClose}>
      <input
        class="input"
        type="text"
        dir="auto"
        role="combobox"
        aria-label={t("Page, action or conversation")}
        aria-expanded={commands.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={chosen && `palette-${chosen.id}`}
        placeholder={t("Page, action or conversation")}
        autocomplete="off"
        maxLength={200}
        ref={focusOnce}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.isComposing) return
          if (event.key === "ArrowDown") move(1)
          else if (event.key === "ArrowUp") move(-1)
          else if (event.key === "Enter") run(chosen)
          else return
          event.preventDefault()
        }}
      />
      <div id="palette-list" class="palette" role="listbox" aria-label={t("Found")}>
        {commands.map(command => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
          <div
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span class="name" dir="auto">
              {command.title}
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** The tabs of a page. */
const partsOf = ({ path, title: page, icon }: PageEntry, role: UserRole): Command[] =>
  path in TABS
    ? tabsOf(path as TabbedPage, role).map(({ to, title }) => ({
        id: `part${to.replaceAll("/", "-")}`,
        title: `${t(page)}: ${title}`,
        icon,
        run: () => go(to),
      }))
    : []

/** Those whose titles have the text, then the search for it. */
function useCommands(text: string): Command[] {
  const { me, signOut } = useAccount()
  const q = useSettled(text, TYPING_MS)
  const found = useLoaded(q, async signal =>
    q ? (await api.get<Page<ConversationSummary>>(`/conversations${query({ q, page_size: FOUND })}`, signal)).data : [],
  )
  const pages = PAGES.filter(page => mayOpen(page, me.user.role))
  const known: Command[] = [
    ...pages.map(({ path, title, icon }) => ({ id: `page-${path}`, title: t(title), icon, run: () => go(`/${path}`) })),
    { id: "new-chat", title: t("New conversation"), icon: "plus", run: () => go("/chat") },
    ...pages.flatMap(page => partsOf(page, me.user.role)),
    { id: "sign-out", title: t("Sign out"), icon: "external", run: () => void signOut() },
  ]
  const isNamed = ({ title }: Command) => title.toLowerCase().includes(text.toLowerCase())
  const conversations = (text ? (found.data ?? []) : []).map(
    ({ conversation_id: id, title }): Command => ({
      id,
      title: title || t("Untitled"),
      icon: "chat",
      run: () => go(`/chat/${id}`),
    }),
  )
  const search: Command[] = text
    ? [
        {
          id: "search",
          title: t("Search the library for “{text}”", { text }),
          icon: "search",
          run: () => go(`/search${query({ q: text })}`),
        },
      ]
    : []
  return [...known.filter(isNamed), ...conversations, ...search]
}
