/** What the rules of the formats may look at. Everything is looked up when it is first asked for. */
import { unpackBudget, ZipReader } from "./archive/zip-reader.ts"
import { isOle, openOle } from "./legacy/ole.ts"

const HEAD_BYTES = 4096
/** Signatures stand at the very beginning, or in the first kilobyte. */
const SIGNATURE_BYTES = 1024
const TEXT_SAMPLE_BYTES = 65_536

export class Content {
  private signature: string | undefined
  private markup: string | undefined
  private streams: ReadonlyMap<string, unknown> | undefined
  private members: string[] | undefined

  constructor(
    readonly bytes: Uint8Array,
    /** The format that the file's name promises; undefined where the name says nothing. */
    readonly named: string | undefined,
    /** It promises one that has no signature. */
    readonly namedPlain: boolean,
  ) {}

  /** Bytes as code points. */
  begins(...signatures: string[]): boolean {
    return signatures.some(signature => this.start.startsWith(signature))
  }

  /** Whether a pattern is found in the first kilobyte, bytes being code points. */
  opens(pattern: RegExp): boolean {
    return pattern.test(this.start)
  }

  /** An OLE file has a stream of this name, in lower case. */
  hasStream(name: string): boolean {
    this.streams ??= isOle(this.bytes) ? openOle(this.bytes) : new Map()
    return this.streams.has(name)
  }

  /** A ZIP file has a member of which the path, in lower case, begins so. */
  hasMember(start: string): boolean {
    return this.memberNames.some(name => name.startsWith(start))
  }

  /** A ZIP file and no document that is kept in one: by its name, or under a name that promises no such document. */
  get isArchive(): boolean {
    if (this.named === "zip") return this.isZip
    const promised = this.named !== undefined && !this.namedPlain
    return !promised && this.memberNames.length > 0 && !this.hasMember("[content_types].xml")
  }

  /** Header lines, among them the version of MIME, or a type and another that messages have. */
  get isMessage(): boolean {
    const names = headerNames(this.head)
    if (names.includes("mime-version")) return true
    return (
      names.includes("content-type") &&
      names.some(name => /^(from|subject|content-(location|transfer-encoding))$/.test(name))
    )
  }

  /** The line that begins a message of a mailbox, and a header. */
  get isMailbox(): boolean {
    return this.opens(/^From [^\n]{0,300}\d\d:\d\d[^\n]{0,100}\n(?:>?From |[!-9;-~]{1,100}:)/)
  }

  get isWordXml(): boolean {
    return /<(?:w:wordDocument|pkg:package)\b/.test(this.head)
  }

  get isDrawing(): boolean {
    return /^[^<]{0,10}</.test(this.head) && /^(?:[^<]|<[?!])*<(?:\w{1,20}:)?svg\b/.test(this.head)
  }

  get isPage(): boolean {
    return /<(!doctype html|html|head|body|table)\b/i.test(this.head) && /^[^<]{0,10}</.test(this.head)
  }

  /** True where there are next to no control characters: in UTF-8, UTF-16 or an 8-bit code page. */
  get isText(): boolean {
    const sample = this.bytes.subarray(0, TEXT_SAMPLE_BYTES)
    const [first, second] = sample
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
    let controls = 0
    for (const byte of sample) {
      if (byte === 0) return false
      if ((byte < 32 && (byte < 9 || byte > 13) && byte !== 27) || byte === 127) controls++
    }
    return sample.length > 0 && controls <= sample.length / 100
  }

  private get isZip(): boolean {
    return this.begins("PK\x03\x04", "PK\x05\x06")
  }

  private get memberNames(): string[] {
    this.members ??= this.isZip ? namesIn(this.bytes) : []
    return this.members
  }

  private get start(): string {
    this.signature ??= Buffer.from(this.bytes.subarray(0, SIGNATURE_BYTES)).toString("latin1")
    return this.signature
  }

  /** ASCII of any encoding, UTF-16 included. */
  private get head(): string {
    this.markup ??= Buffer.from(this.bytes.subarray(0, HEAD_BYTES)).toString("latin1").replaceAll("\0", "")
    return this.markup
  }
}

/** None where the archive is too damaged to be listed. */
function namesIn(bytes: Uint8Array): string[] {
  try {
    return new ZipReader(bytes, unpackBudget(0)).entries.map(entry => entry.name.toLowerCase().replace(/^\//, ""))
  } catch {
    return []
  }
}

/** In lower case, as far as lines are headers. */
function headerNames(head: string): string[] {
  const names: string[] = []
  for (const line of head
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) continue
    const name = /^([!-9;-~]{1,60}):/.exec(line)?.[1]
    if (!name) break
    names.push(name.toLowerCase())
  }
  return names
}
