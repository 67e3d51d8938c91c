/**
 * The files in which a reader hands a document over: its text in UTF-8, its chunks with one JSON object a line, the layout
 * of its pages. The daemon
 * makes and opens them, the reader writes to what is open.
 */
import { writeSync } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import type { LocalFile } from "../../storage/blobs/blobs.ts"
import type { ChunkSource, TextChunk } from "../../storage/document.ts"
import { type BlockedText, type ChunkOptions, chunksOf } from "../chunk.ts"
import type { Outline, ReadDocument } from "./protocol.ts"

/** Bytes read or written at a time: parsing so many takes the daemon a millisecond. */
const PIECE = 262_144
const LINE_FEED = 10
/** A reader that was taken over could write lines of any length, to be held and parsed by the daemon. */
const MAX_LINE_BYTES = 2 ** 23
/** Enough for the language of every text that is not made of several. */
const OPENING_BYTES = 1_000_000

/** An empty file for what is read of documents; gone when it is disposed. */
export type MakeFile = () => LocalFile

/** The three files of one result. */
export class ResultFiles implements AsyncDisposable {
  private readonly files: LocalFile[] = []

  constructor(makeFile: MakeFile) {
    try {
      for (let i = 0; i < 3; i++) this.files.push(makeFile())
    } catch (error) {
      void this[Symbol.asyncDispose]()
      throw error
    }
  }

  get textPath(): string {
    return this.files[0]!.path
  }

  get chunkPath(): string {
    return this.files[1]!.path
  }

  get layoutPath(): string {
    return this.files[2]!.path
  }

  /** Open files in the order of the protocol: the document to be read; the text, the chunks, the layout, which are emptied. */
  async open(document: string): Promise<FileHandle[]> {
    const files: FileHandle[] = []
    try {
      files.push(await open(document, "r"))
      files.push(await open(this.textPath, "w+", 0o600)) // to be written and read again
      for (const path of [this.chunkPath, this.layoutPath]) files.push(await open(path, "w", 0o600))
      return files
    } catch (error) {
      await closeFiles(files)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.files.map(file => file[Symbol.asyncDispose]()))
  }
}

export async function closeFiles(files: readonly FileHandle[]): Promise<void> {
  await Promise.all(files.map(file => file.close()))
}

/** What lies in the files of a result, which are the document's from here on. */
export async function openResult(files: ResultFiles, { chunkCount, ...rest }: Outline): Promise<ReadDocument> {
  const { textPath, chunkPath, layoutPath } = files
  return {
    ...rest,
    textPath,
    layoutPath: (await stat(layoutPath)).size > 0 ? layoutPath : undefined,
    chunks: chunkSource(chunkPath, chunkCount, await openingOf(textPath)),
    close: () => files[Symbol.asyncDispose](),
  }
}

async function openingOf(path: string): Promise<string> {
  const handle = await open(path, "r")
  try {
    const bytes = Buffer.allocUnsafe(OPENING_BYTES)
    const { bytesRead } = await handle.read(bytes, 0, OPENING_BYTES, 0)
    return new StringDecoder("utf8").write(bytes.subarray(0, bytesRead)) // leaves out a character that was cut
  } finally {
    await handle.close()
  }
}

/**
 * Cuts a document and writes its chunks to an open file. `on` is called now and then with the position reached.
 * @returns their number
 */
export async function writeChunks(
  file: number,
  document: BlockedText,
  options: ChunkOptions | undefined,
  on: (position: number) => Promise<void>,
): Promise<number> {
  let count = 0
  let lines = ""
  const flush = () => {
    const bytes = Buffer.from(lines)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    lines = ""
  }
  for (const chunk of chunksOf(document, options)) {
    const line: TextChunk = { ...chunk, text: document.text.slice(chunk.start, chunk.end) }
    lines += `${JSON.stringify(line)}\n`
    count++
    if (lines.length < PIECE) continue
    flush()
    await on(chunk.end)
  }
  flush()
  return count
}

/** Reads what `writeChunks` wrote, as it is asked for. */
function chunkSource(path: string, count: number, opening: string): ChunkSource {
  return {
    count,
    opening,
    async *batches(size) {
      let batch: TextChunk[] = []
      for await (const lines of linesOfFile(path))
        for (const line of lines) {
          batch.push(JSON.parse(line))
          if (batch.length < size) continue
          yield batch
          batch = []
        }
      if (batch.length > 0) yield batch
    },
  }
}

/** The lines of a file, those of one piece together. */
async function* linesOfFile(path: string): AsyncGenerator<string[]> {
  const handle = await open(path, "r")
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE)
      const { bytesRead } = await handle.read(piece, 0, PIECE)
      if (bytesRead === 0) return
      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(LINE_FEED) + 1
      rest = bytes.subarray(end)
      // Not of our making: a chunk is a few thousand characters.
      if (rest.length > MAX_LINE_BYTES) throw new Error("a line of the chunk file is too long")
      if (end > 0) yield bytes.toString("utf8", 0, end - 1).split("\n")
    }
  } finally {
    await handle.close()
  }
}
