/**
 * Pages of the web as files: fetched when they are asked for, and again as often as was said, by the leader. What is stored
 * is what was fetched; what is found is its main content.
 */
import { seen, wholeOf } from "../../access/view.ts"
import type { Egress } from "../../egress/egress.ts"
import { AppError, invalid, toErrorBody } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import type { Reading } from "../../storage/files.ts"
import { pause } from "../../threads/or-abort.ts"
import type { Identity, UploadLabels } from "../labels.ts"
import type { Library } from "../library.ts"
import { contextIn } from "../outside.ts"
import type { FileRecord } from "../record.ts"
import type { UploadRequest, Uploads } from "../uploads.ts"
import { type FetchedPage, fetchPage, readingFor } from "./fetched-page.ts"
import { type DuePage, duePages, noteFailure, noteUnchanged } from "./page-rows.ts"

export interface AskedPage {
  /** As `pageUrl` gives it. */
  url: string
  onlyMainContent: boolean
  /** Undefined: as it was. */
  refresh: string | null | undefined
  labels: UploadLabels
}

interface Dependencies {
  database: Database
  egress: Pick<Egress, "fetch">
  uploads: Pick<Uploads, "answered" | "takeOne">
  library: Pick<Library, "get" | "change">
  maxFileBytes: number
}

const POLL_MS = 5_000
/** Refreshes at the same time, of whatever servers. */
const PARALLEL = 4
const MAX_URL = 2_048

export class WebPages {
  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Fetches a page and takes it in: a file of its own, or the next version of the one that has this address and context.
   * @throws AppError forbidden for an address that may not be reached, fetch_failed, file_too_large, unsupported_file_type,
   *   and as `Uploads.receive`
   */
  async add(request: UploadRequest, asked: AskedPage, signal?: AbortSignal): Promise<FileRecord> {
    const { egress, uploads, maxFileBytes } = this.dependencies
    const labels = { ...asked.labels, contextId: contextIn(request.view, asked.labels.contextId) }
    const upload = { ...request, asked: { ...asked, labels } }
    const answered = await uploads.answered(upload)
    if (answered) return answered
    const known = await this.find(request, asked.url, labels.contextId)
    const isSame = known && known.status !== "failed" && mainContentOf(known.reading) === asked.onlyMainContent
    const validators = isSame ? { etag: known.etag, lastModified: known.last_modified } : undefined
    const page = await fetchPage(egress, asked.url, { known: validators, maxBytes: maxFileBytes, signal })
    const refresh = asked.refresh === undefined ? (known?.refresh ?? null) : asked.refresh
    if (!page) return this.unchanged(request, known!.id, { ...asked, refresh })
    const identity: Identity = { page: versionOf(page, { url: asked.url, refresh }) }
    const reading = readingFor(page, asked.onlyMainContent)
    const file = { name: page.name, bytes: page.bytes, reading, ...(signal ? { signal } : {}) }
    return uploads.takeOne(upload, file, { ...labels, identity }).finally(page.close)
  }

  /** To be done by one node at a time; what is due is fetched anew until the abort. */
  async refreshDue(signal: AbortSignal): Promise<void> {
    const { database } = this.dependencies
    while (!signal.aborted) {
      const due = await duePages(database, PARALLEL).catch(error => {
        if (!signal.aborted) log.warn("pages that are due could not be found", { error })
        return []
      })
      await Promise.all(due.map(page => this.refresh(page, signal)))
      if (due.length < PARALLEL) await pause(POLL_MS, signal).catch(() => {})
    }
  }

  /** A page that cannot be fetched stays as it was. */
  private async refresh(due: DuePage, signal: AbortSignal): Promise<void> {
    const { database, egress, uploads, maxFileBytes } = this.dependencies
    try {
      const known = due.status === "failed" ? undefined : { etag: due.etag, lastModified: due.last_modified }
      const page = await fetchPage(egress, due.url, { known, maxBytes: maxFileBytes, signal })
      if (!page) return await noteUnchanged(database, due.file_id, due.refresh)
      const request = { view: wholeOf(due.workspace_id), keyId: "refresh", idempotencyKey: undefined }
      const name = page.type === due.type ? due.name : page.name
      const labels: UploadLabels = {
        ...{ contextId: due.context_id, tags: [], metadata: {}, onDuplicate: "return_existing" },
        identity: { page: versionOf(page, due), fileId: due.file_id },
      }
      const file = { name, bytes: page.bytes, reading: readingFor(page, mainContentOf(due.reading)), signal }
      await uploads.takeOne(request, file, labels).finally(page.close)
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.code === "not_found")) return // deleted meanwhile
      log.info("a page could not be fetched anew", { file_id: due.file_id, error })
      await noteFailure(database, due, toErrorBody(error).message).catch(failure =>
        log.warn("a failed refresh could not be noted", { file_id: due.file_id, error: failure }),
      )
    }
  }

  private async unchanged(
    { view }: UploadRequest,
    fileId: string,
    asked: AskedPage & { refresh: string | null },
  ): Promise<FileRecord> {
    const { database, library } = this.dependencies
    const { tags, metadata, acl } = asked.labels
    const change = {
      ...(tags.length > 0 ? { tags } : {}),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
      ...(acl === undefined ? {} : { acl }),
    }
    const isTold = Object.keys(change).length > 0
    const record = isTold ? await library.change(view, fileId, change) : await library.get(view, fileId)
    await noteUnchanged(database, fileId, asked.refresh)
    return { ...record, unchanged: true }
  }

  private find({ view }: UploadRequest, url: string, contextId: string | null) {
    const { database } = this.dependencies
    return database
      .selectFrom("web_pages")
      .innerJoin("files", "files.id", "web_pages.file_id")
      .select([
        "files.id",
        "files.status",
        "files.reading",
        "web_pages.etag",
        "web_pages.last_modified",
        "web_pages.refresh",
      ])
      .where("web_pages.url", "=", url)
      .where("files.context_id", contextId === null ? "is" : "=", contextId)
      .where(seen(database, view))
      .orderBy("files.id", "desc")
      .limit(1)
      .executeTakeFirst()
  }
}

/** An address as it is kept: without the place in the page. @throws AppError invalid_request */
export function pageUrl(given: string): string {
  const url = /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given) : undefined
  if (!url || given.length > MAX_URL || url.href.length > MAX_URL)
    throw invalid("url", `must be an http or https address of at most ${MAX_URL} characters`)
  if (url.username !== "" || url.password !== "") throw invalid("url", "must not hold a user name or password")
  url.hash = ""
  return url.href
}

const versionOf = ({ etag, lastModified }: FetchedPage, { url, refresh }: { url: string; refresh: string | null }) => ({
  ...{ url, etag, lastModified, refresh },
})

const mainContentOf = (reading: string | null): boolean =>
  reading === null || (JSON.parse(reading) as Reading).mainContent !== false
