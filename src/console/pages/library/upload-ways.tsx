/** The ways by which files come in: a button, and dropping them on the page. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { useFileChooser } from "../../ui/file-chooser.tsx"

interface UploadButtonProps {
  accept: string | undefined
  onChoose: (files: File[]) => void
}

export function UploadButton({ accept, onChoose }: UploadButtonProps) {
  const chooser = useFileChooser({ accept, multiple: true, onChoose })
  return (
    <>
      <Button kind="primary" icon="upload" onClick={chooser.open}>
        {t("Upload")}
      </Button>
      {chooser.field}
    </>
  )
}

interface DropAreaProps {
  onDrop: (files: FileList | undefined) => void
  children: ComponentChildren
}

export function DropArea({ onDrop, children }: DropAreaProps) {
  const [dragging, setDragging] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the Upload button does the same by keyboard
    <div
      class={dragging ? "drop stack over" : "drop stack"}
      onDragOver={event => {
        event.preventDefault()
        setDragging(true)
      }}
      onDragLeave={event => event.currentTarget.contains(event.relatedTarget as Node) || setDragging(false)}
      onDrop={event => {
        event.preventDefault()
        setDragging(false)
        onDrop(event.dataTransfer?.files)
      }}
    >
      {children}
      {dragging && <div class="drop-hint">{t("Drop to upload")}</div>}
    </div>
  )
}
