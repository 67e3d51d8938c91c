/** The document behind a citation: beside the answer where there is room, else over it. */
import { useEffect, useRef } from "preact/hooks"
import { api, contentUrl, isGone } from "../api.ts"
import { placeOf } from "../format.ts"
import { useLoaded } from "../loading.ts"
import { useEscape } from "../shortcuts.ts"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { Problem } from "../ui/form.tsx"
import { Icon } from "../ui/icons.tsx"
import { useMatches } from "../ui/media.ts"
import type { FileRecord, Source } from "../wire.ts"
import { DocumentView } from "./document-view.tsx"
import { claimOf } from "./spans.ts"

/** As in the style sheet: the list, the conversation and a document have room side by side. */
const ROOM = "(min-width: 1240px)"

interface BesideProps {
  source: Source
  /** Never beside: something else lies over the page. */
  over?: boolean
  onClose: () => void
}

export function Beside({ source, over = false, onClose }: BesideProps) {
  const file = useLoaded(source.file_id, signal => api.get<FileRecord>(`/libraries/${source.file_id}`, signal))
  const hasRoom = useMatches(ROOM) && !over
  const record = file.data?.id === source.file_id ? file.data : undefined
  const hidden = isGone(file.error)
  const title = hidden ? t("Document") : (record?.name ?? source.name)
  const actions = record && (
    <a class="button" href={contentUrl(record.id)} download={record.name}>
      <Icon name="download" /> {t("Download")}
    </a>
  )
  const body = (
    <div class="stack viewer-frame">
      {hidden ? (
        <p role="status">{t("This document has been deleted, or you may not see it.")}</p>
      ) : (
        <Problem error={file.error} />
      )}
      {!hidden && placeOf(source.position) && (
        <p class="soft small" dir="auto">
          {placeOf(source.position)}
        </p>
      )}
      {record && (
        <DocumentView
          key={`${record.id} ${source.position.start}`}
          file={record}
          passage={source.position}
          {...(source.answer ? { claim: claimOf(source.answer, source.index) } : {})}
        />
      )}
    </div>
  )
  if (hasRoom)
    return (
      <Panel title={title} actions={actions} onClose={onClose}>
        {body}
      </Panel>
    )
  return (
    <Dialog title={title} shape="side" actions={actions} onClose={onClose}>
      {body}
    </Dialog>
  )
}

type PanelProps = Pick<Parameters<typeof Dialog>[0], "title" | "actions" | "onClose" | "children">

/** Leaves the rest of the page in reach. Escape closes it, and the focus returns to where it was. */
function Panel({ title, actions, onClose, children }: PanelProps) {
  const element = useRef<HTMLElement>(null)
  useEscape(onClose)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    element.current!.focus()
    return () => opener?.focus?.()
  }, [])
  return (
    <aside class="viewer-panel" aria-label={title} tabIndex={-1} ref={element}>
      <header>
        <h2 dir="auto">{title}</h2>
        {actions}
        <Button kind="quiet" icon="close" label={t("Close")} onClick={onClose} />
      </header>
      {children}
    </aside>
  )
}
