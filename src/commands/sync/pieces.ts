/** Files of a place, opened and read to be put into forms. */
import { AppError } from "../../errors.ts"
import { HASHED } from "../../sources/brought.ts"
import { type Connector, type Entry, Outage } from "../../sources/connector.ts"
import type { Piece } from "./form.ts"

/** At reading one file, where it is not said that it cannot be. */
const TRIES = 3

/** Undefined where it is gone. */
export async function openPiece(connector: Connector, entry: Entry, signal: AbortSignal): Promise<Piece | undefined> {
  const read = await connector.read(entry, signal)
  if (!read) return undefined
  // The daemon makes that of the bytes itself.
  const isHash = entry.fingerprint.startsWith(HASHED)
  const fingerprint = isHash ? entry.fingerprint : (read.fingerprint ?? entry.fingerprint)
  return { key: entry.key, fingerprint, name: read.name, bytes: read.bytes }
}

/** The same in memory, without bytes where there are more than `room`. */
export async function readPiece(
  connector: Connector,
  entry: Entry,
  room: number,
  signal: AbortSignal,
): Promise<(Omit<Piece, "bytes"> & { bytes: Uint8Array | undefined }) | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const piece = await openPiece(connector, entry, signal)
      return piece && { ...piece, bytes: await readWithin(piece.bytes, room) }
    } catch (error) {
      if (isFinal(error) || tries === TRIES) throw error
    }
  }
}

/** Reading it again would change nothing. */
const isFinal = (error: unknown): boolean => error instanceof AppError || error instanceof Outage

/** Undefined where there are more bytes. */
async function readWithin(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    if (length > limit) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts, length)
}
