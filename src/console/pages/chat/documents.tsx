/**
 * Files that are brought into a conversation: each is uploaded, read, and then what the conversation is about. Those that
 * cannot be say why, and stay out of it.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { useRepeated } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { useFileChooser } from "../../ui/file-chooser.tsx"
import { acceptedBy, addUploads, type Upload, useUploadRules, useUploads } from "../../uploads.ts"
import type { FileRecord, Page } from "../../wire.ts"
import { filterOfIds } from "../library/selection.ts"
import type { ChatSettings } from "./settings.ts"

/** Reading a page takes less than that, a scanned book minutes. */
const LOOK_MS = 700
/** At once; a page has no more. */
const LOOKED_AT = 100

interface Document {
  upload: Upload["id"]
  name: string
  /** Null while its bytes are on their way. */
  file: FileRecord | null
  /** The upload's words where it did not come about. */
  problem: string | undefined
  /** 0..1 of the bytes sent. */
  sent: number
}

export interface Documents {
  all: readonly Document[]
  /** Some are on their way or being read: a message sent now would be answered without them. */
  busy: boolean
  add: (files: Iterable<File>) => void
  remove: (document: Document) => void
  /** They are the conversation's own by now. */
  clear: () => void
  accept: string | undefined
}

const isBeingRead = ({ file }: Document): boolean => file?.status === "queued" || file?.status === "indexing"
const isOnItsWay = ({ file, problem }: Document): boolean => !file && !problem

/**
 * @param settings of the conversation, whose files they join
 * @param onChange another choice of files
 */
export function useDocuments(
  conversationId: string | undefined,
  settings: ChatSettings,
  onChange: (change: Partial<ChatSettings>) => void,
): Documents {
  const rules = useUploadRules()
  const uploads = useUploads()
  const [all, setAll] = useState<readonly Document[]>([])
  const joined = useRef(new Set<string>())
  const chosen = settings.scope === "files" ? settings.fileIds : []
  const choose = (fileIds: readonly string[]) =>
    onChange(fileIds.length > 0 ? { scope: "files", fileIds } : { scope: "library", fileIds })
  const renew = (files: readonly FileRecord[]) => {
    const byId = new Map(files.map(file => [file.id, file]))
    setAll(before => before.map(each => ({ ...each, file: byId.get(each.file?.id ?? "") ?? each.file })))
  }

  useEffect(() => setAll([]), [conversationId])
  useEffect(() => setAll(before => before.map(document => withUpload(document, uploads))), [uploads])
  useEffect(() => {
    const ready = all.flatMap(({ file }) => (file?.status === "searchable" ? [file.id] : []))
    const fresh = ready.filter(id => !joined.current.has(id))
    joined.current = new Set(ready)
    if (fresh.length > 0) choose([...new Set([...chosen, ...fresh])])
  }, [all])
  const reading = all.filter(isBeingRead)
  useRepeated(reading.length > 0 ? LOOK_MS : null, () => {
    const ids = reading.slice(0, LOOKED_AT).map(({ file }) => file!.id)
    const asked = query({ filter: JSON.stringify(filterOfIds(new Set(ids))), page_size: LOOKED_AT })
    api.get<Page<FileRecord>>(`/libraries${asked}`).then(
      ({ data }) => renew(data),
      () => {},
    )
  })

  return {
    all,
    busy: all.some(document => isOnItsWay(document) || isBeingRead(document)),
    accept: acceptedBy(rules),
    add(files) {
      const given = [...files]
      const ids = addUploads(given, { contextId: "", tags: "" }, rules?.max_file_bytes)
      const added = given.map((file, i) => ({
        ...{ upload: ids[i]!, name: file.name, file: null, problem: undefined, sent: 0 },
      }))
      setAll([...all, ...added])
    },
    remove(document) {
      if (!document.file) uploads.find(({ id }) => id === document.upload)?.cancel()
      setAll(all.filter(other => other !== document))
      const id = document.file?.id
      if (id && chosen.includes(id)) choose(chosen.filter(other => other !== id))
    },
    clear: () => setAll([]),
  }
}

function withUpload(document: Document, uploads: readonly Upload[]): Document {
  const upload = document.file ? undefined : uploads.find(({ id }) => id === document.upload)
  if (!upload) return document
  const { state, message, progress, file = null } = upload
  return { ...document, file, sent: progress, problem: state === "failed" ? message : undefined }
}

/** Those that were brought since the last message. */
export const DocumentList = ({ all, remove }: Documents) =>
  all.length === 0 ? null : (
    <ul class="documents" aria-label={t("Attached files")}>
      {all.map(document => (
        <li key={document.upload}>
          <span class="name" dir="auto">
            {document.name}
          </span>
          <DocumentState {...document} />
          <Button
            kind="quiet"
            icon="close"
            label={t("Remove {name}", { name: document.name })}
            onClick={() => remove(document)}
          />
        </li>
      ))}
    </ul>
  )

function DocumentState(document: Document) {
  const { file, name, problem, sent } = document
  const failure =
    problem ?? (file?.status === "failed" ? (file.error?.message ?? t("it could not be read")) : undefined)
  if (failure) return <span class="badge bad">{t("Not added: {reason}", { reason: failure })}</span>
  if (isOnItsWay(document)) return <progress max={1} value={sent} aria-label={t("Upload of {name}", { name })} />
  if (!isBeingRead(document)) return <span class="badge good">{t("Added")}</span>
  return (
    <>
      <span class="soft small">{t("Reading …")}</span>
      <progress max={1} value={file?.progress || undefined} aria-label={t("Reading of {name}", { name })} />
    </>
  )
}

/** Opens the chooser. */
export function AttachFiles({ documents: { add, accept } }: { documents: Documents }) {
  const chooser = useFileChooser({ accept, label: t("Files"), multiple: true, onChoose: add })
  return (
    <>
      <Button kind="quiet" icon="clip" label={t("Attach files")} onClick={chooser.open} />
      {chooser.field}
    </>
  )
}
