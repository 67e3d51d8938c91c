/**
 * The inner loops of the vector scan as a WebAssembly module with SIMD, written in `dot-kernel.wat`;
 * `dot-kernel.test.ts` compares it with plain arithmetic.
 */
import { DOT_KERNEL } from "./dot-kernel-bytes.ts"

export interface Kernel {
  memory: WebAssembly.Memory
  /**
   * out[i] = sum over j of q[j] * base[i * stride + j]: signed bytes at base, 16-bit numbers at q, 32-bit sums out;
   * stride a multiple of 64. The query is widened once, which spares half of the widening in the loop.
   */
  dots(q: number, base: number, rows: number, stride: number, out: number): void
  /**
   * Sums of table entries for blocks of 16 rows of `width` bytes, stored byte by byte: byte j of all 16, then byte j + 1.
   * out[16 * block + row] = Σ over j of tables[2j][low half of the byte] + tables[2j + 1][high half], 16 bits. A table is
   * 16 bytes of at most 127; all largest entries together stay below 65 536.
   */
  tableSums(tables: number, base: number, blocks: number, width: number, out: number): void
}

let module: WebAssembly.Module | undefined

const PAGE_BYTES = 65_536

/**
 * Makes room for `bytes` more behind the first `offset`, an eighth more than asked for: growing voids the views.
 * @returns whether it grew
 */
export function growKernel({ memory }: Kernel, offset: number, bytes: number): boolean {
  const lacking = offset + bytes - memory.buffer.byteLength
  if (lacking <= 0) return false
  memory.grow(Math.ceil((lacking + bytes * 0.125) / PAGE_BYTES))
  return true
}

/** A kernel over a memory of its own, which may be grown. */
export function createKernel(): Kernel {
  module ??= new WebAssembly.Module(Buffer.from(DOT_KERNEL, "base64"))
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 65_536 })
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return { memory, ...(exports as unknown as Pick<Kernel, "dots" | "tableSums">) }
}
