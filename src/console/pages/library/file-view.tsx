/** A file from the side: its facts, labels and document, opened at a passage where one is given. */
import { useState } from "preact/hooks"
import { api, contentUrl } from "../../api.ts"
import { bytes, dateTime } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { Link } from "../../router.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { DocumentView, type DocumentViewProps } from "../../viewer/document-view.tsx"
import type { FileRecord } from "../../wire.ts"
import { FileStatus } from "./file-status.tsx"

interface FileViewProps {
  fileId: string
  /** Offsets into the extracted text. */
  passage?: DocumentViewProps["passage"]
  /** "page 4 · 3.2 Term" */
  place?: string
  onClose: () => void
}

export function FileView({ fileId, passage, place, onClose }: FileViewProps) {
  const file = useLoaded(fileId, signal => api.get<FileRecord>(`/libraries/${fileId}`, signal))
  const record = file.data
  const busy = record?.status === "queued" || record?.status === "indexing"
  useRepeated(busy ? 1_000 : null, file.reload)
  return (
    <Dialog
      title={record?.name ?? "…"}
      shape="side"
      onClose={onClose}
      actions={
        record && (
          <>
            <Link class="button" to={`/chat?file=${fileId}`}>
              <Icon name="chat" /> {t("Ask")}
            </Link>
            <a class="button" href={contentUrl(fileId)} download={record.name}>
              <Icon name="download" /> {t("Download")}
            </a>
          </>
        )
      }
    >
      <Problem error={file.error} />
      {record && (
        <div class="stack">
          <div class="row between">
            <FileStatus file={record} />
            <span class="soft small">
              {record.type.toUpperCase()} · {bytes(record.size)} ·{" "}
              {t("added {time}", { time: dateTime(record.created_at) })}
              {record.ocr_page_count > 0 &&
                ` · ${t("{pages, plural, one {# page} other {# pages}} read by OCR", { pages: record.ocr_page_count })}`}
            </span>
          </div>
          {record.warnings.map(warning => (
            <p key={warning.code + warning.message} class="notice">
              <Icon name="warning" /> {warning.message}
            </p>
          ))}
          <Labels key={record.updated_at} record={record} onSaved={file.set} />
          {place && <p class="soft">{place}</p>}
          {record.status === "searchable" || record.indexed_at ? (
            <DocumentView key={record.indexed_at} file={record} {...(passage ? { passage } : {})} />
          ) : null}
        </div>
      )}
    </Dialog>
  )
}

function Labels({ record, onSaved }: { record: FileRecord; onSaved: (record: FileRecord) => void }) {
  const [name, setName] = useState(record.name)
  const [tags, setTags] = useState(record.tags.join(", "))
  const [contextId, setContextId] = useState(record.context_id ?? "")
  const changed = name !== record.name || tags !== record.tags.join(", ") || contextId !== (record.context_id ?? "")
  const save = useAction(async () => {
    const list = tags
      .split(",")
      .map(tag => tag.trim())
      .filter(Boolean)
    onSaved(
      await api.patch<FileRecord>(`/libraries/${record.id}`, {
        name,
        tags: list,
        context_id: contextId.trim() || null,
      }),
    )
  })
  return (
    <details class="fold">
      <summary>
        {t("Name and labels")}
        {record.context_id && <span class="label context">{record.context_id}</span>}
        {record.tags.map(tag => (
          <span key={tag} class="label" dir="auto">
            {tag}
          </span>
        ))}
      </summary>
      <Form class="stack" action={save}>
        <TextField label={t("Name")} name="name" required value={name} onInput={setName} error={save.error} />
        <div class="pair">
          <TextField label={t("Tags")} name="tags" value={tags} onInput={setTags} error={save.error} />
          <TextField
            label={t("Context")}
            name="context_id"
            value={contextId}
            onInput={setContextId}
            error={save.error}
          />
        </div>
        <Problem error={save.error} />
        <div class="row">
          <Button type="submit" busy={save.busy} disabled={!changed}>
            {t("Save")}
          </Button>
        </div>
      </Form>
    </details>
  )
}
