/** Every type of source. A new one is one file here and one line below. */
import { AppError } from "../../errors.ts"
import type { SourceKind, SourceType } from "../connector.ts"
import { folderSource } from "./folder.ts"
import { gitSource } from "./git.ts"
import { imapSource } from "./imap.ts"
import { pushSource } from "./push.ts"
import { s3Source } from "./s3.ts"
import { webdavSource } from "./webdav.ts"

/** Stands in the place of a type that this version cannot sync. */
const absent: SourceKind = {
  config() {
    throw new AppError("invalid_request", { message: "type: this version has no such source" })
  },
}

export const SOURCE_KINDS = {
  folder: folderSource,
  webdav: webdavSource,
  s3: s3Source,
  git: gitSource,
  imap: imapSource,
  web: absent,
  push: pushSource,
} satisfies Record<SourceType, SourceKind>
