import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { t } from "../text.ts"
import { Button, CopyButton } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { Icon } from "./icons.tsx"

interface ShownOnceProps {
  title: string
  /** What must be done with them now. */
  notice: string
  values: readonly (readonly [name: string, value: string])[]
  /** How they are used. */
  children?: ComponentChildren
  onClose: () => void
}

/** Secrets that nobody sees again: Escape does not lose them, and closing asks. */
export function ShownOnce({ title, notice, values, children, onClose }: ShownOnceProps) {
  const [asked, setAsked] = useState(false)
  return (
    <Dialog title={title} onClose={onClose} sticky>
      <div class="stack">
        <p class="notice">
          <Icon name="warning" /> {notice}
        </p>
        <dl class="secrets">
          {values.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} label={t("Copy {name}", { name })} />
              </dd>
            </div>
          ))}
        </dl>
        {children}
        <footer class="row end">
          {asked && <span class="soft">{t("Have you stored them somewhere safe?")}</span>}
          <Button kind="primary" onClick={() => (asked ? onClose() : setAsked(true))}>
            {asked ? t("Yes, close") : t("Done")}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
