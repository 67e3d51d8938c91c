import { bytes } from "../../format.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/form.tsx"
import { clearFinished, type Upload, type UploadLabels } from "../../uploads.ts"

interface UploadOptionsProps {
  labels: UploadLabels
  onChange: (labels: UploadLabels) => void
}

/** What the next uploads are labeled with; folded, because most need nothing. */
export const UploadOptions = ({ labels, onChange }: UploadOptionsProps) => (
  <details class="fold">
    <summary>
      {t("Label new uploads")}
      {(labels.tags || labels.contextId) && (
        <span class="badge">{[labels.contextId, labels.tags].filter(Boolean).join(" · ")}</span>
      )}
    </summary>
    <div class="pair">
      <TextField
        label={t("Tags")}
        placeholder={t("contracts, 2026")}
        hint={t("Separated by commas")}
        value={labels.tags}
        onInput={tags => onChange({ ...labels, tags })}
      />
      <TextField
        label={t("Context")}
        placeholder={t("project-x")}
        hint={t("A scope that searches and chats can be narrowed to")}
        value={labels.contextId}
        onInput={contextId => onChange({ ...labels, contextId })}
      />
    </div>
  </details>
)

export function UploadList({ uploads }: { uploads: Upload[] }) {
  if (uploads.length === 0) return null
  const running = uploads.some(upload => upload.state === "waiting" || upload.state === "sending")
  return (
    <section class="uploads" aria-label={t("Uploads")}>
      <div class="row between">
        <h2>{t("Uploads")}</h2>
        {!running && <Button onClick={clearFinished}>{t("Clear")}</Button>}
      </div>
      <ul>
        {uploads.map(upload => (
          <li key={upload.id}>
            <span class="name" dir="auto">
              {upload.name}
            </span>
            <span class="soft small">{bytes(upload.size)}</span>
            {upload.state === "sending" || upload.state === "waiting" ? (
              <progress max={1} value={upload.progress} aria-label={t("Upload of {name}", { name: upload.name })} />
            ) : (
              <span class={`badge ${upload.state === "failed" ? "bad" : "good"}`}>{upload.message}</span>
            )}
            {upload.state !== "done" && upload.state !== "duplicate" && (
              <Button
                kind="quiet"
                icon="close"
                label={t("Remove {name}", { name: upload.name })}
                onClick={upload.cancel}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
