/** Files that are dropped anywhere on the page, as long as no dialog lies over it. */
import { useEffect, useRef, useState } from "preact/hooks"

const bringsFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes("Files") === true && document.querySelector("dialog[open]") === null

/** @returns whether files are held over the page */
export function useDroppedFiles(onFiles: (files: FileList) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const listening = new AbortController()
    const listen = (type: "dragover" | "dragleave" | "drop", on: (event: DragEvent) => void) =>
      document.addEventListener(type, on, { signal: listening.signal })
    listen("dragover", event => {
      if (!bringsFiles(event)) return
      event.preventDefault()
      setOver(true)
    })
    listen("dragleave", event => event.relatedTarget === null && setOver(false))
    listen("drop", event => {
      setOver(false)
      if (!bringsFiles(event)) return
      event.preventDefault()
      latest.current(event.dataTransfer!.files)
    })
    return () => listening.abort()
  }, [])
  return over
}
