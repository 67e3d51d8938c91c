/** Short notices in the corner, one at a time per text, with an optional way back. */

import { useEffect, useState } from "preact/hooks"
import { t } from "../text.ts"
import { Button } from "./button.tsx"

interface Toast {
  id: number
  text: string
  undo: (() => void) | undefined
}

const SHOWN_MS = 6_000
let nextId = 1
let toasts: Toast[] = []
const listeners = new Set<(toasts: Toast[]) => void>()

function publish(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(toasts)
}

export function notify(text: string, undo?: () => void): void {
  const toast = { id: nextId++, text, undo }
  publish([...toasts, toast])
  setTimeout(() => dismiss(toast.id), SHOWN_MS)
}

const dismiss = (id: number) => publish(toasts.filter(toast => toast.id !== id))

/**
 * Carries out `action` after the time to undo, or at once when the page is left.
 * `action` must survive the end of the page (`keepalive`).
 */
export function notifyWithUndo(text: string, action: () => void, onUndo: () => void): void {
  const act = () => {
    clearTimeout(timer)
    removeEventListener("pagehide", act)
    action()
  }
  const timer = setTimeout(act, SHOWN_MS)
  addEventListener("pagehide", act)
  notify(text, () => {
    clearTimeout(timer)
    removeEventListener("pagehide", act)
    onUndo()
  })
}

export function Toasts() {
  const [shown, setShown] = useState(toasts)
  useEffect(() => {
    setShown(toasts) // one may have come since this was drawn
    listeners.add(setShown)
    return () => void listeners.delete(setShown)
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(toast => (
        <div key={toast.id} class="toast">
          <span dir="auto">{toast.text}</span>
          {toast.undo && (
            <Button
              kind="quiet"
              onClick={() => {
                toast.undo?.()
                dismiss(toast.id)
              }}
            >
              {t("Undo")}
            </Button>
          )}
          <Button kind="quiet" icon="close" label={t("Dismiss")} onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  )
}
