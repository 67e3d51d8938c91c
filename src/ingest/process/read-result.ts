import { open, rm } from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import type { ReadDocument } from "../index-file.ts"
import { chunkSource } from "./chunk-file.ts"
import { chunkFile, type Outline, textFile } from "./reader-protocol.ts"

/** Enough for the language of every text that is not made of several. */
const OPENING_BYTES = 1_000_000

/** What lies in the files of a result. */
export async function openResult(resultPath: string, outline: Outline): Promise<ReadDocument> {
  const { chunkCount, ...rest } = outline
  const textPath = textFile(resultPath)
  return {
    ...rest,
    textPath,
    chunks: chunkSource(chunkFile(resultPath), chunkCount, await openingOf(textPath)),
    close: () => removeResult(resultPath),
  }
}

/** Removes the files of a result, as far as there are any and the disk lets go of them; the next start does the rest. */
export async function removeResult(resultPath: string): Promise<void> {
  await Promise.allSettled([textFile, chunkFile].map(name => rm(name(resultPath), { force: true })))
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
