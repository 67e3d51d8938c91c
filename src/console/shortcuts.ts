/** Keys that do something on every page; none while a dialog is open, which has keys of its own. */
import { useEffect, useRef } from "preact/hooks"
import { go } from "./router.tsx"

const inDialog = (): boolean => document.querySelector("dialog[open]") !== null

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.matches("input:not([type=checkbox], [type=radio]), textarea, select")

function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey)
  latest.current = onKey
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.isComposing && !event.defaultPrevented && !inDialog()) latest.current(event)
    }
    document.addEventListener("keydown", listen)
    return () => document.removeEventListener("keydown", listen)
  }, [])
}

/** `/` goes to the field in which the page is searched, or to the Search page; Ctrl+K opens the palette. */
export function useShortcuts(openPalette: () => void): void {
  useKeys(event => {
    const isCommand = event.ctrlKey || event.metaKey
    if (event.key === "k" && isCommand && !event.shiftKey && !event.altKey) openPalette()
    else if (event.key === "/" && !isCommand && !event.altKey && !isTyping(event)) focusSearch()
    else return
    event.preventDefault()
  })
}

function focusSearch(): void {
  const fields = [...document.querySelectorAll<HTMLInputElement>("main input[type=search]")]
  const field = fields.find(each => each.checkVisibility())
  if (field) {
    field.focus()
    field.select()
  } else go("/search")
}

/** Escape, as long as there is something to stop. In a search field it empties that. */
export function useEscape(stop: (() => void) | undefined): void {
  useKeys(event => {
    if (event.key !== "Escape" || !stop) return
    if (event.target instanceof HTMLInputElement && event.target.type === "search" && event.target.value) return
    event.preventDefault()
    stop()
  })
}
