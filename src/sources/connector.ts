/**
 * What the engine needs of a place that files come from: which entries exist, with what changes when they do, and the bytes
 * of one. Everything else, when to look, what to fetch, what to delete, is the engine's.
 */

import type { Egress } from "../egress/egress.ts"
import type { Reading } from "../storage/files.ts"
import type { Fields } from "./fields.ts"

export const SOURCE_TYPES = ["folder", "webdav", "s3", "git", "imap", "web", "push"] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** One thing that may become a file. */
export interface Entry {
  /** The same as long as it is the same thing: a path, a URL. What `include` and `exclude` look at. Well-formed, without NUL. */
  key: string
  /** Changes with the content: an ETag, a size with a time, a hash. */
  fingerprint: string
  /** Bytes, where listing tells. */
  size?: number
  /** ISO-8601. */
  updatedAt?: string
  /** Where a person can see it. */
  url?: string
  /** What the file is called, with its extension; absent where only reading tells. What cannot be read is then never fetched. */
  name?: string
}

/** Bytes of an entry as they were fetched. */
export interface EntryContent {
  name: string
  /** Read once, or left: a connector closes what it has open when the iteration ends or is returned from. */
  bytes: AsyncIterable<Uint8Array>
  /** Of these bytes, where it is known better than from the listing. */
  fingerprint?: string
  url?: string
  /** What their reader has to know beside them. */
  reading?: Reading
}

export interface Connector {
  /** How many entries may be read at the same time; 4 when absent. */
  readonly parallel?: number
  /**
   * Every entry that exists now, in any order, each once. Throws where a page or folder cannot be listed, and where the whole
   * is not there: that is an outage, and nothing is deleted. Runs in slices, or elsewhere: others are answered meanwhile.
   */
  list(signal: AbortSignal): AsyncIterable<Entry>
  /**
   * The bytes, and what they are called. Undefined where the entry is gone. An entry comes as `list` told of it, perhaps in a
   * former process: its key must do.
   * @throws Outage where the place as a whole is in trouble: the sync ends and goes on later. Anything else concerns this entry
   * alone, which has then failed; the message of an AppError is shown.
   */
  read(entry: Entry, signal: AbortSignal): Promise<EntryContent | undefined>
  /**
   * Calls `changed` once it watches, for what happened before, and soon after each change from then on. Ends with the signal,
   * or throws where nothing can be watched, and is tried again later. Absent: only schedules and requests sync.
   */
  watch?(changed: () => void, signal: AbortSignal): Promise<void>
  /** Closes what it has open. The engine calls it once, at the end of a sync, a dry run or a watch. */
  close?(): Promise<void>
}

/**
 * The place cannot be read at present: the engine tries again after 1 minute, and later and later, up to 6 hours. Whatever
 * else `list` throws is taken for one too, and shown without its message.
 */
export class Outage extends Error {
  override name = "Outage"
  /** @param message shown to users: no secrets, no paths of this machine */
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
  }
}

/**
 * There is nothing at all, as where a disk is not mounted. It is an outage for a source that has files, until somebody
 * forces it, and an empty listing for one that has none.
 */
export class Emptied extends Outage {
  override name = "Emptied"
}

/** What connectors are given of the house. */
export interface ConnectorParts {
  /** The only way to other machines. */
  egress: Egress
  /** Folders that `folder` sources may lie in, absolute. */
  sourceRoots: readonly string[]
  /** A folder of this source on this machine, for what is worth keeping between syncs. It is made if need be, and may be empty at any time. */
  directory(): Promise<string>
}

export interface Opened<Config, Credentials> {
  config: Config
  credentials: Credentials | null
  parts: ConnectorParts
  /**
   * Whether nothing below a folder is meant, by its key with a slash at its end: one that cannot be listed is then no outage.
   * Absent: everything may be meant.
   */
  leavesOut?(folder: string): boolean
}

/** A type of source: `connectors/index.ts` has one line for each. */
export interface SourceKind<Config = unknown, Credentials = unknown> {
  /** `config` of a request, checked, with its defaults. @throws AppError invalid_request naming the field */
  config(given: Fields): Config
  /** Absent: it takes none. @throws AppError invalid_request naming the field */
  credentials?(given: Fields): Credentials
  /** Where credentials are sent to: with another one they must be given anew, so that no other server learns them. */
  place?(config: Config): string
  /** Whether there may be such a source here. @throws AppError forbidden for an address or a folder that is not allowed */
  admit?(config: Config, parts: ConnectorParts): Promise<void>
  /** Fingerprints are of the content and of nothing else: a file whose key changes is not fetched again. */
  contentFingerprints?: true
  /** Absent where nobody fetches: the files are brought. */
  open?(given: Opened<Config, Credentials>): Connector
}
