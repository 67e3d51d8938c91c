/**
 * Signed links: an address that opens one passage of one file without sign-in, until a time, as long as whoever it was made
 * for may see the file.
 *
 * `<address>/view/<file>?page=4&start=1234&end=1291&exp=1790000000&sig=<holder>.<mac>`: the holder is the id of a key, of a
 * scoped token or of a console user, and the mac (HMAC-SHA-256) covers every character before it from `/view` on. A link is right only as it was
 * written, so no two spellings of one link exist. Nothing is stored: what may end a link is looked up when it is opened.
 */
import type { Place } from "../storage/document.ts"
import type { Principal } from "./principal.ts"
import { isSignature, signatureOf } from "./signature.ts"

/** What a link shows of its file; offsets are those of hits and citations. */
export type LinkedPlace = Partial<Pick<Place, "page" | "member"> & { start: number; end: number }>

/** A link whose signature is right and whose time is not over. Whether its holder may still see the file is not known yet. */
export interface OpenedLink {
  fileId: string
  holderId: string
  page: number | null
  /** Null where the link is about the file, or the page, and no passage of it. */
  range: { start: number; end: number } | null
  /** Unix seconds. */
  expiresAt: number
}

/** Seconds that a link lives unless something else was asked for. */
const LINK_LIFETIME_S = 24 * 3600
/** Links beside hits and citations end at full five minutes, so that what is asked twice is mostly answered in the same bytes. */
const SHOWN_TO_S = 300
export const MAX_LINK_LIFETIME_S = 30 * 24 * 3600

const LINK = /^\/view\/(file_\w+)\?(?:page=(\d+)&)?(?:start=(\d+)&end=(\d+)&)?exp=(\d+)&sig=(\w+)\.$/

export class Links {
  /**
   * @param secret the same for all nodes
   * @param address where browsers reach this daemon; asked for each link, as the port may be chosen by the system
   */
  constructor(
    private readonly secret: Uint8Array,
    private readonly address: () => string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The link of a place in a file, which the caller has seen in it. Costs some microseconds, no look-up.
   * @param place without `start` and `end` for a file or a page as a whole; the page of a file within the file is none of its
   *   own and is left out
   */
  linkTo(holder: Pick<Principal, "holderId">, fileId: string, place: LinkedPlace = {}): string {
    const expiresAt = Math.floor((this.now() / 1000 + LINK_LIFETIME_S) / SHOWN_TO_S) * SHOWN_TO_S
    return this.link(holder, fileId, place, expiresAt)
  }

  /**
   * As `linkTo`, with the time at which it ends.
   * @param latest when the holder ends
   */
  linkUntil(
    holder: Pick<Principal, "holderId">,
    fileId: string,
    place: LinkedPlace,
    { seconds = LINK_LIFETIME_S, latest }: { seconds?: number; latest: string | null },
  ) {
    const wanted = Math.floor(this.now() / 1000) + seconds
    const expiresAt = latest === null ? wanted : Math.min(wanted, Math.ceil(Date.parse(latest) / 1000))
    const url = this.link(holder, fileId, place, expiresAt)
    return { url, expires_at: new Date(expiresAt * 1000).toISOString() }
  }

  /** @param target path and query of a request, as they came. `wrong`: no link of ours, or changed. `over`: its time is. */
  open(target: string): OpenedLink | "wrong" | "over" {
    const split = target.lastIndexOf(".") + 1
    const signed = target.slice(0, split)
    if (!isSignature(target.slice(split), this.secret, signed)) return "wrong"
    const [, fileId, page, start, end, expiresAt, holderId] = LINK.exec(signed) ?? []
    if (!fileId || !holderId) return "wrong"
    if (Number(expiresAt) * 1000 <= this.now()) return "over"
    return {
      fileId,
      holderId,
      page: page === undefined ? null : Number(page),
      range: start === undefined ? null : { start: Number(start), end: Number(end) },
      expiresAt: Number(expiresAt),
    }
  }

  private link(
    { holderId }: Pick<Principal, "holderId">,
    fileId: string,
    { page, member, start, end }: LinkedPlace,
    expiresAt: number,
  ): string {
    const shownPage = page && !member ? `page=${page}&` : ""
    const range = start === undefined || end === undefined ? "" : `start=${start}&end=${end}&`
    const signed = `/view/${fileId}?${shownPage}${range}exp=${expiresAt}&sig=${holderId}.`
    return this.address() + signed + signatureOf(this.secret, signed)
  }
}
