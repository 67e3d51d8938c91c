import { placeOf } from "../../format.ts"
import type { Source } from "../../wire.ts"
import { FileView } from "../library/file-view.tsx"

/** The document behind a citation, opened at the passage. */
export const SourceView = ({ source, onClose }: { source: Source; onClose: () => void }) => (
  <FileView fileId={source.file_id} passage={source.position} place={placeOf(source.position)} onClose={onClose} />
)
