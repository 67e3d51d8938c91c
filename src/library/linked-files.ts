/** Files behind signed links: making a link for a place of one, and finding what a link shows, for as long as its holder sees it. */
import type { Holders } from "../access/holders.ts"
import type { Links, OpenedLink } from "../access/links.ts"
import type { Principal } from "../access/principal.ts"
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import type { Library } from "./library.ts"
import { type LinkedText, linkedText } from "./linked-text.ts"
import type { PagePicture, PageRecord, Pages } from "./pages.ts"
import type { FileRecord } from "./record.ts"

export interface LinkRequest {
  file_id: string
  page?: number
  start?: number
  end?: number
  /** Seconds; a day where absent. */
  expires_in?: number
}

export interface LinkedFile {
  link: OpenedLink
  /** The holder's. */
  view: View
  record: FileRecord
}

interface LinkedFilesDependencies {
  database: Database
  library: Pick<Library, "get">
  pages: Pick<Pages, "list" | "png">
  links: Links
  holders: Holders
}

/** Twice what a page of text takes on the screen, for screens of fine pixels. */
const PICTURE_WIDTH = 1_600

/** Pictures are one page, and their texts have none. A passage within a file in the file stands on no page of its own. */
function pageOf({ page, range }: OpenedLink, record: FileRecord, text: LinkedText | undefined): number | null {
  if (page !== null) return page
  if (range === null || record.mime_type.startsWith("image/")) return 1
  return text && text.place.member === null ? text.place.page : null
}

function withoutPages(error: unknown): PageRecord[] {
  if (error instanceof AppError) return []
  throw error
}

export class LinkedFiles {
  constructor(private readonly dependencies: LinkedFilesDependencies) {}

  /** A link of the caller's. @throws AppError not_found for a file that it does not see; invalid_request for a place that is none */
  async make(principal: Principal, { file_id, page, start, end, expires_in }: LinkRequest) {
    const { library, links, holders } = this.dependencies
    const { page_count, character_count } = await library.get(principal.view, file_id)
    if (page !== undefined && page > (page_count ?? Number.POSITIVE_INFINITY))
      throw invalid("page", `the file has ${page_count} ${page_count === 1 ? "page" : "pages"}`)
    if ((start === undefined) !== (end === undefined)) throw invalid("end", "start and end come together")
    if (start !== undefined && start >= end!) throw invalid("end", "must be greater than start")
    if (end !== undefined && end > (character_count ?? Number.POSITIVE_INFINITY))
      throw invalid("end", `the text of the file has ${character_count} characters`)
    const holder = await holders.find(principal.holderId, principal.workspaceId)
    const place = { page: page ?? null, ...(start === undefined ? {} : { start, end: end! }) }
    return links.linkUntil(principal, file_id, place, {
      ...(expires_in === undefined ? {} : { seconds: expires_in }),
      latest: holder?.endsAt ?? null,
    })
  }

  /**
   * The file of a link.
   * @throws AppError forbidden where the holder has ended, or does not see the file any more; not_found where it was deleted
   */
  async open(link: OpenedLink): Promise<LinkedFile> {
    const { database, library, holders } = this.dependencies
    const file = await database
      .selectFrom("files")
      .select("workspace_id")
      .where("id", "=", link.fileId)
      .executeTakeFirst()
    const holder = await holders.find(link.holderId, file?.workspace_id)
    if (!holder) throw new AppError("forbidden")
    if (!file) throw new AppError("not_found")
    const record = await library.get(holder.view, link.fileId).catch(error => {
      throw error instanceof AppError && error.code === "not_found" ? new AppError("forbidden") : error
    })
    return { link, view: holder.view, record }
  }

  /** Undefined where the file has no text, or not the page. */
  text({ link }: LinkedFile): Promise<LinkedText | undefined> {
    return linkedText(this.dependencies.database, link)
  }

  /**
   * The page on which the linked place stands, as far as pictures of it can be made; undefined for files without pages, and
   * at moments when they cannot be drawn.
   */
  async page({ link, view, record }: LinkedFile, text: LinkedText | undefined, signal: AbortSignal) {
    const wanted = pageOf(link, record, text)
    if (wanted === null) return undefined
    const pages = await this.dependencies.pages.list(view, record.id, signal).catch(withoutPages)
    return pages[wanted - 1]
  }

  /** The picture of that page, with the passage marked. @throws AppError not_found where there is none; as `Pages.png` */
  async picture(file: LinkedFile, signal: AbortSignal): Promise<PagePicture> {
    const { link, view, record } = file
    const text = await this.text(file)
    const page = pageOf(link, record, text)
    if (page === null) throw new AppError("not_found")
    const marked = text && text.passage !== "" && link.range ? link.range : {}
    return this.dependencies.pages.png(view, record.id, page, { width: PICTURE_WIDTH, ...marked }, signal)
  }
}
