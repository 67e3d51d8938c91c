/** The bytes of an open file. */
import { toArrayBuffer } from "bun:ffi"
import { fstatSync, readFileSync } from "node:fs"
import { libc } from "./linux.ts"

/** Larger files are mapped: the kernel pages them in and out, and they do not count as memory of the process. */
const MAP_ABOVE_BYTES = 2 ** 20
const PROT_READ_WRITE = 3
const MAP_PRIVATE = 2

/** `release` gives the memory back: the bytes are gone then. What is written to them never reaches the file. */
export function fileBytes(file: number): { bytes: Uint8Array; release: () => void } {
  const { size } = fstatSync(file)
  if (size <= MAP_ABOVE_BYTES) return { bytes: new Uint8Array(readFileSync(file)), release: () => {} }
  const address = Number(libc().mmap(null, size, PROT_READ_WRITE, MAP_PRIVATE, file, 0))
  if (address === -1) throw new Error("the file could not be mapped")
  const buffer = toArrayBuffer(address as never, 0, size)
  return {
    bytes: new Uint8Array(buffer),
    release: () => {
      buffer.transfer() // whoever still holds the bytes finds none, rather than memory that is gone
      libc().munmap(address, size)
    },
  }
}
