/** Git LFS: the repository holds a few lines that name a file by its hash, another service of the server has the file. */
import { createHash } from "node:crypto"
import type { Egress } from "../../../egress/egress.ts"
import { AppError } from "../../../errors.ts"
import type { GitCredentials } from "./remote.ts"

const MEDIA_TYPE = "application/vnd.git-lfs+json"
/** A pointer is shorter, by its specification. */
const MAX_POINTER_BYTES = 1_024
const POINTER =
  /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/
const MAX_ANSWER_BYTES = 2 ** 20
const MAX_REDIRECTS = 5
const SILENCE_MS = 60_000
const TRANSFER_MS = 6 * 3_600_000

export interface LargeFile {
  sha256: string
  size: number
}

export interface LargeFilesOptions {
  egress: Egress
  /** Of the repository. */
  url: string
  credentials: GitCredentials | null
}

interface Download {
  href: string
  header?: Record<string, string>
}

/** Undefined for a file that is itself what it holds. */
export function pointedTo(content: Uint8Array): LargeFile | undefined {
  if (content.length >= MAX_POINTER_BYTES) return undefined
  const [, sha256, size] = POINTER.exec(Buffer.from(content).toString("latin1")) ?? []
  return sha256 === undefined ? undefined : { sha256, size: Number(size) }
}

/** The bytes of the file that a pointer names. @throws AppError not_found, fetch_failed, file_too_large */
export async function* largeFile(
  file: LargeFile,
  options: LargeFilesOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { href, header = {} } = await downloadOf(file, options, signal)
  const response = await options.egress.fetch(href, {
    headers: { ...ownCredentials(href, options), ...header },
    redirects: MAX_REDIRECTS,
    silenceMs: SILENCE_MS,
    timeoutMs: TRANSFER_MS,
    maxBytes: file.size,
    signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw failure(`the server answered with status ${response.status}`)
  }
  const hash = createHash("sha256")
  for await (const part of response.body ?? []) {
    hash.update(part)
    yield part
  }
  if (hash.digest("hex") !== file.sha256) throw failure("the server sent another file")
}

async function downloadOf(file: LargeFile, options: LargeFilesOptions, signal: AbortSignal): Promise<Download> {
  const repository = options.url.replace(/\/+$/, "")
  const url = `${repository.endsWith(".git") ? repository : `${repository}.git`}/info/lfs/objects/batch`
  const response = await options.egress.fetch(url, {
    method: "POST",
    headers: { ...ownCredentials(url, options), accept: MEDIA_TYPE, "content-type": MEDIA_TYPE },
    body: JSON.stringify({
      operation: "download",
      transfers: ["basic"],
      objects: [{ oid: file.sha256, size: file.size }],
    }),
    timeoutMs: SILENCE_MS,
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  })
  const answer = response.ok ? await response.json().catch(() => undefined) : await response.body?.cancel()
  if (response.status >= 500) throw failure(`the server answered with status ${response.status}`)
  const [object] = (answer as { objects?: [{ actions?: { download?: Download } }] } | undefined)?.objects ?? []
  const download = object?.actions?.download
  if (typeof download?.href !== "string") throw failure("the server does not give it out", "not_found")
  return download
}

function ownCredentials(url: string, { credentials, url: own }: LargeFilesOptions): Record<string, string> {
  if (!credentials || !URL.canParse(url) || new URL(url).origin !== new URL(own).origin) return {}
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")
  return { authorization: `Basic ${pair}` }
}

const failure = (why: string, code: "fetch_failed" | "not_found" = "fetch_failed") =>
  new AppError(code, { message: `the content of this file is kept in Git LFS, and ${why}` })
