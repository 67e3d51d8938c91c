/** The frames of Git's protocol: four hexadecimal digits of length, then so many bytes less four; lengths below four are marks. */

export type Packet = Uint8Array | "flush" | "delimiter" | "end"

const MARKS = ["flush", "delimiter", "end"] as const
const HEADER_BYTES = 4

export const FLUSH = "0000"
export const DELIMITER = "0001"

/** One line of text, framed. */
export function packetLine(text: string): string {
  const length = Buffer.byteLength(text) + HEADER_BYTES + 1
  return `${length.toString(16).padStart(HEADER_BYTES, "0")}${text}\n`
}

/** @throws Error for what is no frame, and for bytes that end within one */
export async function* packetsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Packet> {
  let rest = Buffer.alloc(0)
  for await (const part of bytes) {
    rest = rest.length === 0 ? Buffer.from(part) : Buffer.concat([rest, part])
    let at = 0
    while (rest.length - at >= HEADER_BYTES) {
      const length = lengthAt(rest, at)
      if (length < HEADER_BYTES) {
        yield MARKS[length]!
        at += HEADER_BYTES
      } else if (rest.length - at >= length) {
        yield rest.subarray(at + HEADER_BYTES, at + length)
        at += length
      } else break
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new Error("the answer ends within a packet")
}

function lengthAt(bytes: Buffer, at: number): number {
  const digits = bytes.toString("latin1", at, at + HEADER_BYTES)
  if (!/^[0-9a-f]{4}$/i.test(digits) || digits === "0003") throw new Error("not a packet of Git's protocol")
  return Number.parseInt(digits, 16)
}

/** Without the line feed at its end. */
export const textOf = (packet: Uint8Array): string => Buffer.from(packet).toString("utf8").replace(/\n$/, "")
