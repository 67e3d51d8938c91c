import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { useAction } from "../loading.ts"
import { t } from "../text.ts"
import { Button } from "./button.tsx"
import { Problem } from "./form.tsx"

interface DialogProps {
  title: string
  onClose: () => void
  /** `side` fills the height at the edge, for documents. */
  shape?: "box" | "side"
  /** Refuses Escape: for values that are shown only once. */
  sticky?: boolean
  actions?: ComponentChildren
  children: ComponentChildren
}

/** The browser's own modal dialog: focus stays inside, Escape closes, focus returns to where it was. */
export function Dialog({ title, onClose, shape = "box", sticky, actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  // Before anything is painted: Escape on a dialog that is not open yet would be lost, and the dialog would stay.
  useLayoutEffect(() => {
    const dialog = element.current!
    const opener = document.activeElement as HTMLElement | null
    dialog.showModal()
    return () => {
      dialog.close()
      opener?.focus?.()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={`dialog ${shape}`}
      aria-label={title}
      // what `cancel` prevents the browser does all the same when Escape is pressed again and again
      {...(sticky ? { closedby: "none" } : {})}
      onCancel={event => {
        event.preventDefault()
        if (!sticky) onClose()
      }}
      onMouseDown={event => {
        if (!sticky && event.target === element.current) onClose()
      }}
    >
      <div class="dialog-inside">
        <header>
          <h2 dir="auto">{title}</h2>
          {actions}
          {!sticky && <Button kind="quiet" icon="close" label={t("Close")} onClick={onClose} />}
        </header>
        <div class="dialog-body">{children}</div>
      </div>
    </dialog>
  )
}

interface FormFootProps {
  /** What the form does, on its button. */
  action: string
  busy: boolean
  disabled?: boolean
  onClose: () => void
}

/** The end of a form in a dialog. */
export const FormFoot = ({ action, busy, disabled, onClose }: FormFootProps) => (
  <footer class="row end">
    <Button onClick={onClose}>{t("Cancel")}</Button>
    <Button kind="primary" type="submit" busy={busy} {...(disabled === undefined ? {} : { disabled })}>
      {action}
    </Button>
  </footer>
)

interface ConfirmProps {
  title: string
  children: ComponentChildren
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before what cannot be taken back. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const confirm = useAction(onConfirm)
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <Problem error={confirm.error} />
        <footer class="row end">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="danger" busy={confirm.busy} onClick={async () => (await confirm.run()) && onClose()}>
            {action}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
