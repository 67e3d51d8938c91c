/** Uploads in progress. They live outside the pages, so that looking elsewhere does not stop them. */

import { useEffect, useState } from "preact/hooks"
import { api, parseError, uploadUrl } from "./api.ts"
import { bytes } from "./format.ts"
import { useLoaded } from "./loading.ts"
import { t } from "./text.ts"
import type { FileRecord, UploadRules } from "./wire.ts"

export interface Upload {
  id: number
  name: string
  size: number
  /** 0..1 of the bytes sent. */
  progress: number
  state: "waiting" | "sending" | "done" | "duplicate" | "failed"
  message: string
  /** What the daemon made of it, once it has all bytes. */
  file?: FileRecord
  cancel: () => void
}

export interface UploadLabels {
  contextId: string
  tags: string
}

/** Sent at the same time: a browser opens six connections to one host, and the page needs some. */
const PARALLEL = 3
const DONE_SHOWN_MS = 3_000

let uploads: Upload[] = []
let nextId = 1
const waiting: (() => void)[] = []
let running = 0
const listeners = new Set<(uploads: Upload[]) => void>()
const arrivals = new Set<() => void>()

function publish(next: Upload[]): void {
  uploads = next
  for (const listener of listeners) listener(uploads)
}

const update = (id: number, change: Partial<Upload>): void =>
  publish(uploads.map(upload => (upload.id === id ? { ...upload, ...change } : upload)))

const remove = (id: number): void => publish(uploads.filter(upload => upload.id !== id))

/** What the daemon takes in; undefined until it has said so. */
export const useUploadRules = (): UploadRules | undefined =>
  useLoaded("upload rules", signal => api.get<UploadRules>("/keys/uploads", signal)).data

/** For the file chooser. */
export const acceptedBy = (rules: UploadRules | undefined): string | undefined =>
  rules?.groups.flatMap(group => group.types.map(type => `.${type}`)).join(",")

/**
 * @param maxBytes the daemon refuses larger files; saying so first spares the wait
 * @returns the ids of the uploads, in the order of the files
 */
export function addUploads(
  files: Iterable<File>,
  labels: UploadLabels,
  maxBytes = Number.POSITIVE_INFINITY,
): Upload["id"][] {
  const ids: Upload["id"][] = []
  for (const file of files) {
    const id = nextId++
    ids.push(id)
    const cancel = () => remove(id)
    const upload: Upload = { id, name: file.name, size: file.size, progress: 0, state: "waiting", message: "", cancel }
    if (file.size > maxBytes) {
      publish([...uploads, { ...upload, state: "failed", message: t("larger than {size}", { size: bytes(maxBytes) }) }])
      continue
    }
    publish([...uploads, upload])
    waiting.push(() => send(id, file, labels))
  }
  startNext()
  return ids
}

export const clearFinished = (): void =>
  publish(uploads.filter(upload => upload.state === "waiting" || upload.state === "sending"))

function startNext(): void {
  while (running < PARALLEL && waiting.length > 0) waiting.shift()!()
}

/** XMLHttpRequest, because fetch does not report how much has been sent. */
function send(id: number, file: File, { contextId, tags }: UploadLabels): void {
  if (!uploads.some(upload => upload.id === id)) {
    startNext() // cancelled while it waited
    return
  }
  running++
  const form = new FormData()
  if (contextId.trim()) form.append("context_id", contextId.trim())
  if (tags.trim()) form.append("tags", tags)
  form.append("files", file)
  const request = new XMLHttpRequest()
  request.open("POST", uploadUrl)
  request.setRequestHeader("x-carrel-console", "1")
  request.upload.onprogress = event => event.lengthComputable && update(id, { progress: event.loaded / event.total })
  request.onload = () => {
    const result = outcome(request)
    update(id, result)
    // The library's own row takes over; what did not go as expected stays to be read.
    if (result.state === "done") setTimeout(() => remove(id), DONE_SHOWN_MS)
  }
  request.onerror = () => update(id, { state: "failed", message: t("the connection was lost") })
  request.onloadend = () => {
    running--
    startNext()
    for (const listener of arrivals) listener()
  }
  update(id, {
    state: "sending",
    cancel: () => {
      request.abort()
      remove(id)
    },
  })
  request.send(form)
}

function outcome(request: XMLHttpRequest): Partial<Upload> {
  if (request.status !== 202) {
    const error = parseError(request.responseText)
    const [detail] = error.details ?? []
    return { state: "failed", message: String(detail?.message ?? error.message ?? request.statusText) }
  }
  const { files } = JSON.parse(request.responseText) as { files: FileRecord[] }
  const [file] = files
  return {
    ...(file?.duplicate
      ? { state: "duplicate", message: t("already in the library") }
      : { state: "done", message: t("queued for indexing") }),
    progress: 1,
    ...(file ? { file } : {}),
  }
}

/** The uploads of this page's life; `onArrival` hears of each that ended. */
export function useUploads(onArrival?: () => void): Upload[] {
  const [shown, setShown] = useState(uploads)
  useEffect(() => {
    setShown(uploads)
    listeners.add(setShown)
    return () => void listeners.delete(setShown)
  }, [])
  useEffect(() => {
    if (!onArrival) return
    arrivals.add(onArrival)
    return () => void arrivals.delete(onArrival)
  }, [onArrival])
  return shown
}
