import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { t } from "../text.ts"
import { Icon, type IconName } from "./icons.tsx"

interface ButtonProps {
  children?: ComponentChildren
  icon?: IconName
  /** Said by screen readers and shown as a tooltip, for buttons without words. */
  label?: string
  kind?: "plain" | "primary" | "quiet" | "danger"
  type?: "button" | "submit"
  busy?: boolean
  disabled?: boolean
  pressed?: boolean
  onClick?: (event: MouseEvent) => void
}

export function Button({
  children,
  icon,
  label,
  kind = "plain",
  type = "button",
  busy,
  disabled,
  pressed,
  onClick,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}${children ? "" : " square"}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return <Button kind="quiet" icon={copied ? "check" : "copy"} label={copied ? t("Copied") : label} onClick={copy} />
}

/** The clipboard API exists in secure contexts only; plain http on a local network needs the old way. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  const parent = document.querySelector("dialog[open]") ?? document.body // outside a modal dialog nothing can be selected
  parent.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
