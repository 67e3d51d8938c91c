import type { Config } from "../config.ts"
import { mostUploads } from "../http/connections.ts"
import { MIME_TYPES } from "../ingest/formats/formats.ts"
import { Library } from "../library/library.ts"
import { UploadRoom } from "../library/upload-room.ts"
import { Uploads } from "../library/uploads.ts"
import type { SearchIndex } from "../search/index.ts"
import type { Storage } from "./storage.ts"

export type LibraryParts = ReturnType<typeof openLibrary>

/** Files as users see them, and the way in. */
export function openLibrary(
  config: Config,
  { database, blobs, queue, changes, idempotency }: Storage,
  index: SearchIndex,
) {
  const library = new Library({ database, blobs, queue, changes, index })
  const uploads = new Uploads({
    database,
    blobs,
    queue,
    changes,
    idempotency,
    room: new UploadRoom(queue, {
      uploads: Math.min(config.max_uploads, mostUploads()),
      queuedFiles: config.max_queued_files,
    }),
    rules: { maxFileBytes: config.max_file_bytes, fileTypes: MIME_TYPES },
  })
  return { library, uploads }
}
