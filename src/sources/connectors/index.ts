/** Every type of source. A new one is one file here and one line below. */
import type { SourceKind, SourceType } from "../connector.ts"
import { folderSource } from "./folder.ts"
import { gitSource } from "./git.ts"
import { imapSource } from "./imap.ts"
import { pushSource } from "./push.ts"
import { s3Source } from "./s3.ts"
import { webSource } from "./web.ts"
import { webdavSource } from "./webdav.ts"

export const SOURCE_KINDS = {
  folder: folderSource,
  webdav: webdavSource,
  s3: s3Source,
  git: gitSource,
  imap: imapSource,
  web: webSource,
  push: pushSource,
} satisfies Record<SourceType, SourceKind>
