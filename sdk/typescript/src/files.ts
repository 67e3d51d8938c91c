/** Files of the library: bring them, wait for them, find them, read them. */
import { CarrelError } from "./api-error.ts"
import type { UploadDirectoryOptions, UploadDirectoryResult } from "./directory.ts"
import { type Calls, type FileRecord, ROUTES, type UploadAnswer } from "./generated.ts"
import { looked } from "./looks.ts"
import { everyOf } from "./pages.ts"
import { Resource } from "./resource.ts"
import type { CallOptions, InputOf } from "./transport.ts"
import { formOf, type Source, type UploadFields, type UploadFile } from "./upload.ts"

export type ListFiles = Omit<NonNullable<InputOf<"listFiles">["query"]>, "page" | "page_size" | "filter"> & {
  /** As an object. */
  filter?: object
}

/** Files of one request: the API takes this many in one commit. */
const FILES_OF_FORM = 250

/** A file that cannot be read, or was not accepted; `file` says why. */
export class IndexingError extends CarrelError {
  constructor(readonly file: FileRecord) {
    super(`${file.name}: ${file.error?.message ?? "it could not be indexed"}`)
  }
}

export class Files extends Resource {
  /**
   * Brings files in; what is not accepted stands in `rejected`. A stream is read once and cannot be sent again after a cut.
   * @param files paths, blobs, bytes or streams, at most 250
   */
  async upload(
    files: Source | UploadFile | ReadonlyArray<Source | UploadFile>,
    fields: UploadFields = {},
    options: CallOptions = {},
  ): Promise<UploadAnswer> {
    const all = (Array.isArray(files) ? files : [files]).map(toUpload)
    if (all.length === 0 || all.length > FILES_OF_FORM) throw new TypeError(`give 1 to ${FILES_OF_FORM} files`)
    const raw = await formOf(all, fields)
    return this.transport.read({ route: ROUTES.uploadFiles, input: {}, raw, accept: "application/json", options })
  }

  /**
   * Brings a folder in, so many files at the same time, and keeps a manifest of what is there: run again it brings only what is
   * new or changed, after a cut too. In Node, Bun and Deno.
   */
  async uploadDir(path: string, options: UploadDirectoryOptions = {}): Promise<UploadDirectoryResult> {
    const { uploadDirectory } = await import("./directory.ts")
    return uploadDirectory(this, path, options)
  }

  /** A text, Markdown or HTML. */
  addText(body: InputOf<"addText">["body"], options?: CallOptions): Promise<FileRecord> {
    return this.transport.call("addText", { body }, options)
  }

  /** A page of the web, which the server fetches. */
  addUrl(body: InputOf<"addUrl">["body"], options?: CallOptions): Promise<Calls["addUrl"]["answer"]> {
    return this.transport.call("addUrl", { body }, options)
  }

  /** Every file that passes. */
  list({ filter, ...query }: ListFiles = {}, options?: CallOptions): AsyncGenerator<FileRecord, void> {
    const narrowed = { ...query, ...(filter ? { filter: JSON.stringify(filter) } : {}) }
    return everyOf((page, page_size) =>
      this.transport.call("listFiles", { query: { ...narrowed, page, page_size } }, options),
    )
  }

  get(id: string, options?: CallOptions): Promise<FileRecord> {
    return this.transport.call("getFile", { path: { file_id: id } }, options)
  }

  update(id: string, body: InputOf<"updateFile">["body"], options?: CallOptions): Promise<FileRecord> {
    return this.transport.call("updateFile", { path: { file_id: id }, body }, options)
  }

  delete(id: string, options?: CallOptions): Promise<undefined> {
    return this.transport.call("deleteFile", { path: { file_id: id } }, options)
  }

  reindex(id: string, options?: CallOptions): Promise<FileRecord> {
    return this.transport.call("reindexFile", { path: { file_id: id } }, options)
  }

  /** The original, as it comes. */
  download(id: string, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.transport.call("downloadFile", { path: { file_id: id } }, options)
  }

  /** The extracted text. */
  text(id: string, options?: CallOptions): Promise<string> {
    return this.transport.call("getFileText", { path: { file_id: id } }, options)
  }

  /**
   * The files, once search finds them.
   * @throws IndexingError for one that cannot be read; the signal's reason
   */
  async waitUntilSearchable(ids: string | readonly string[], options: CallOptions = {}): Promise<FileRecord[]> {
    const found: FileRecord[] = []
    for (const id of typeof ids === "string" ? [ids] : ids)
      found.push(await looked(() => this.get(id, options), isSearchable, options.signal))
    return found
  }
}

function isSearchable(file: FileRecord): boolean {
  if (file.status === "failed") throw new IndexingError(file)
  return file.status === "searchable"
}

const toUpload = (file: Source | UploadFile): UploadFile =>
  typeof file === "object" && "source" in file ? file : { source: file }
