/** Addresses of the console. The path names the page, the query string holds what a page would lose on reload. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"

export interface Place {
  /** Parts of the path: `/chat/conv_1` is ["chat", "conv_1"]. */
  path: string[]
  query: URLSearchParams
}

/** The page of a list that an address names; the first where it names none. */
export const pageIn = (address: URLSearchParams): number => Math.max(1, Math.trunc(Number(address.get("page"))) || 1)

const listeners = new Set<() => void>()

export const placeNow = (): Place => ({
  path: location.pathname.split("/").filter(Boolean),
  query: new URLSearchParams(location.search),
})

/** Goes to an address of the console; `replace` leaves no entry in the history. */
export function go(address: string, replace = false): void {
  if (address === location.pathname + location.search) return
  history[replace ? "replaceState" : "pushState"](null, "", address)
  for (const listener of listeners) listener()
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const update = () => setPlace(placeNow())
    listeners.add(update)
    addEventListener("popstate", update)
    return () => {
      listeners.delete(update)
      removeEventListener("popstate", update)
    }
  }, [])
  return place
}

interface LinkProps {
  to: string
  class?: string
  current?: boolean
  label?: string
  /** Called after the address has changed. */
  onGone?: () => void
  children: ComponentChildren
}

export function Link({ to, current, label, onGone, children, ...rest }: LinkProps) {
  return (
    <a
      href={to}
      aria-current={current ? "page" : undefined}
      aria-label={label}
      {...rest}
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
        onGone?.()
      }}
    >
      {children}
    </a>
  )
}
