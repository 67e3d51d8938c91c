import { useRef } from "preact/hooks"

interface FileChooserOptions {
  /** Types that are offered; all without it. */
  accept: string | undefined
  /** Of the field, for who drives it without seeing it. */
  label?: string
  /** Many at once. */
  multiple?: boolean
  onChoose: (files: File[]) => void
}

/** The system's own chooser of files, and the hidden field that it belongs to, which goes beside the button. */
export function useFileChooser({ accept, label, multiple, onChoose }: FileChooserOptions) {
  const field = useRef<HTMLInputElement>(null)
  return {
    open: () => field.current?.click(),
    field: (
      <input
        ref={field}
        type="file"
        hidden
        multiple={multiple}
        accept={accept}
        aria-label={label}
        onChange={event => {
          onChoose([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = "" // the same file can be chosen again
        }}
      />
    ),
  }
}
