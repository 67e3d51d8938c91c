/** An upload as it comes in: text parts are kept, files are stored, and what cannot be taken is noted beside them. */
import { AppError, asStorageError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Blobs, StoredBlob } from "../storage/blobs/blobs.ts"
import type { Reading } from "../storage/files.ts"
import { safeName } from "./labels.ts"

/** A file part whose bytes are stored. */
export interface ReceivedFile {
  name: string
  type: string
  mimeType: string
  stored: StoredBlob
  /** What its reader has to know beside the bytes. */
  reading?: Reading
}

/** A file part that is not taken, and why. */
export interface Rejection {
  name: string
  error: AppError
}

/** Which files are taken. */
export interface FileRules {
  /** Bytes of one file. */
  maxFileBytes: number
  /** Accepted extensions without the dot, each with its MIME type. */
  fileTypes: ReadonlyMap<string, string>
}

/** Several files may be stored at a time; their order is that of the form. */
export class UploadForm {
  readonly fields = new Map<string, string[]>()
  /** What the files are for, where that is told. */
  purpose: string | undefined
  /** Types that are taken beside those of the rules, until it is known what the files are for; `refuseOthers` then. */
  alsoTaken: ReadonlyMap<string, string> = new Map()
  private readonly parts: (ReceivedFile | Rejection | undefined)[] = []

  constructor(
    private readonly blobs: Blobs,
    private readonly workspaceId: string,
    private readonly rules: FileRules,
    /** Looks at the bytes as they come; what it throws refuses the whole form. */
    private readonly through: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = bytes => bytes,
  ) {}

  addField(name: string, value: string): void {
    this.fields.set(name, [...(this.fields.get(name) ?? []), value])
  }

  /**
   * Stores a file part under the client's name for it, or notes why it is rejected.
   * @throws what concerns more than this file; the reason of `signal`
   */
  async addFile(
    givenName: string,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
    reading?: Reading,
  ): Promise<void> {
    const at = this.parts.push(undefined) - 1 // keeps its place until it is known what becomes of it
    const name = safeName(givenName)
    const type = typeOf(name)
    const mimeType = this.rules.fileTypes.get(type) ?? this.alsoTaken.get(type)
    if (!mimeType) {
      this.parts[at] = { name, error: unsupported(type) }
      return
    }
    try {
      const stored = await this.blobs
        .of(this.workspaceId)
        .write(newId("file"), this.through(bytes), this.rules.maxFileBytes, signal)
      this.parts[at] = { name, type, mimeType, stored, ...(reading ? { reading } : {}) }
    } catch (error) {
      this.parts[at] = { name, error: asRejection(error) }
    }
  }

  /** What refuses the whole form so far; undefined while a file of it is stored or being stored. */
  get refusal(): AppError | undefined {
    const { parts, rejected } = this
    if (parts.length === 0 || rejected.length < parts.length) return undefined
    const { code, message, hint, retryAfter } = rejected[0]!.error
    return new AppError(code, {
      message,
      ...(hint ? { hint } : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      details: rejected.map(({ name, error }) => ({ name, code: error.code, message: error.message })),
    })
  }

  /** What became of each file part, in the order of the form; once all have come. */
  partsInOrder(): (ReceivedFile | Rejection)[] {
    return this.parts.filter(part => part !== undefined)
  }

  get rejected(): Rejection[] {
    return this.parts.filter((part): part is Rejection => part !== undefined && "error" in part)
  }

  /**
   * Who takes the files removes those that become no record; of a commit in doubt, none.
   * @throws AppError what refuses all of them; invalid_multipart where there is none
   */
  takeFiles(): ReceivedFile[] {
    if (this.refusal) throw this.refusal
    const { files } = this
    if (files.length === 0) throw new AppError("invalid_multipart", { message: "there is no file part" })
    this.parts.length = 0
    return files
  }

  /** Rejects files of types that the rules do not take. */
  async refuseOthers(): Promise<void> {
    for (const [at, part] of this.parts.entries()) {
      if (!part || "error" in part || this.rules.fileTypes.has(part.type)) continue
      this.parts[at] = { name: part.name, error: unsupported(part.type) }
      await this.blobs.remove(part.stored.blob)
    }
  }

  /** Removes the files that nobody has taken. */
  async discard(): Promise<void> {
    for (const { stored } of this.files) await this.blobs.remove(stored.blob)
  }

  private get files(): ReceivedFile[] {
    return this.parts.filter((part): part is ReceivedFile => part !== undefined && "stored" in part)
  }
}

const typeOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""

/** Why a file of this name is not taken, whatever it holds; undefined where it is. */
export function refusalOf(givenName: string, { fileTypes }: FileRules): AppError | undefined {
  const type = typeOf(safeName(givenName))
  return fileTypes.has(type) ? undefined : unsupported(type)
}

const unsupported = (type: string) =>
  new AppError("unsupported_file_type", {
    message: type ? `files of the type .${type} cannot be read` : "the file name has no extension",
  })

/** What concerns this file alone rejects it alone; anything else fails the upload. */
function asRejection(error: unknown): AppError {
  const known = error instanceof AppError ? error : asStorageError(error)
  if (known && known.code !== "quota_exceeded") return known
  throw error
}
