/** Where originals and extracted texts lie, said once for the disk of one machine and the object storage of several. */

export interface StoredBlob {
  /** Name to pass to `findOriginal`. */
  blob: string
  /** Bytes. */
  size: number
  sha256: string
}

/** First byte, and the one after the last. */
export interface ByteRange {
  start: number
  end: number
}

/** A file of this machine for as long as it is not disposed; not to be changed. */
export interface LocalFile extends AsyncDisposable {
  readonly path: string
}

/** A stored original or text. */
export interface StoredBytes {
  /** Bytes. */
  readonly size: number
  /**
   * All of it, or what of the range there is. A stream that is given up is to be cancelled, or `signal` aborted.
   * @throws AppError store_unavailable, here or while it is read
   */
  stream(range?: ByteRange, signal?: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /** For readers that want a file. @throws AppError store_unavailable, insufficient_storage; the reason of `signal` */
  local(signal?: AbortSignal): Promise<LocalFile>
}

export interface StoredName {
  name: string
  /** Milliseconds since 1970, by the clock of the store. */
  modifiedAt: number
}

/** Takes bytes in for one workspace, whose key they are encrypted with where an installation is. */
export interface BlobWriter {
  /**
   * Takes a stream in; memory stays flat. Nothing is left behind when it throws. Where `keepNames` has come back too, the
   * bytes survive whatever happens to this machine's power.
   * @param signal ends it with its reason
   * @throws AppError file_too_large (after the limit), empty_file, store_unavailable; ENOSPC passes through
   */
  write(name: string, source: AsyncIterable<Uint8Array>, limitBytes: number, signal?: AbortSignal): Promise<StoredBlob>

  /** Takes over a finished file of the temporary directory, or one in memory, as the text of a generation. */
  moveText(fileId: string, generation: number, temporary: string): Promise<void>

  /** The same of the layout of its pages. */
  moveLayout(fileId: string, generation: number, temporary: string): Promise<void>

  /** Stores a short text as that of a generation. */
  writeText(fileId: string, generation: number, text: string): Promise<void>
}

export interface Blobs {
  /** Work in progress of this machine, emptied at start. */
  readonly temporaryDirectory: string

  /** @param workspaceId whose the bytes are */
  of(workspaceId: string): BlobWriter

  /** An empty file for clear bytes of work in progress: in the temporary directory, or in memory where that is to hold none. */
  scratchFile(): LocalFile

  /** Makes the names of blobs just written last as long as their bytes. */
  keepNames(blobs: Iterable<string>): Promise<void>

  /** @throws AppError insufficient_storage */
  assertRoom(): Promise<void>

  findOriginal(blob: string): Promise<StoredBytes | undefined>

  /** The extracted text of one generation of a file, as UTF-8. */
  findText(fileId: string, generation: number): Promise<StoredBytes | undefined>

  /** What is known of the pages of one generation of a file; few have any. */
  findLayout(fileId: string, generation: number): Promise<StoredBytes | undefined>

  /** Never fails, for the row that named it is gone already: what is left, say by a store in trouble, is swept later. */
  remove(blob: string): Promise<void>

  /** With the layout of its pages. Never fails, as `remove`. */
  removeText(fileId: string, generation: number): Promise<void>

  /**
   * Drops uploads that ended neither way before `before`: by nodes that died amid them.
   * @param before milliseconds since 1970, by the clock of the store
   * @returns how many
   */
  removeUnfinished(before: number, signal?: AbortSignal): Promise<number>

  /** Milliseconds since 1970, by the clock of the store. */
  now(): Promise<number>

  /** Everything stored, up to a thousand at a time; what is removed meanwhile may be missing. */
  list(kind: "blobs" | "texts"): AsyncIterable<StoredName[]>
}

/** A place that stores what it is given as it is given, whosever it is. */
export interface PlainBlobs extends Blobs, BlobWriter {
  /** As `write`, of bytes that were counted and hashed before. */
  store(name: string, source: AsyncIterable<Uint8Array>, options?: StoreOptions): Promise<void>
}

export interface StoreOptions {
  /** There is one of that name, which stays where this fails. */
  replaces?: boolean
  signal?: AbortSignal | undefined
}

/** What `list` calls the text of a generation. */
export const textName = (fileId: string, generation: number): string => `${fileId}.${generation}.txt`

/** The same for the layout of its pages. */
export const layoutName = (fileId: string, generation: number): string => `${fileId}.${generation}.pages`

/** The generation whose text or layout has this name; undefined for what Carrel did not write. */
export function parseTextName(name: string): { fileId: string; generation: number } | undefined {
  const [, fileId, generation] = /^(.+)\.(\d+)\.(?:txt|pages)$/.exec(name) ?? []
  return fileId ? { fileId, generation: Number(generation) } : undefined
}

/** Spreads names over 256 folders; the last characters of an id are its random ones. */
export const fanOut = (name: string): string => name.slice(-2)
