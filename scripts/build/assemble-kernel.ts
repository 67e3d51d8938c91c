/**
 * Assembles `src/search/vector/dot-kernel.wat` into `dot-kernel-bytes.ts` beside it: `bun scripts/build/assemble-kernel.ts`.
 * The bytes are kept in the repository, so that running from source needs no assembler; a test holds both equal.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const PROJECT = join(import.meta.dir, "../..")
const VECTOR = join(PROJECT, "src/search/vector")

/** The kernel's WebAssembly module, assembled from its text. */
export function assembleKernel(): Uint8Array {
  const directory = mkdtempSync(join(tmpdir(), "assemble-"))
  try {
    const out = join(directory, "kernel.wasm")
    const assembler = join(PROJECT, "node_modules/wabt/bin/wat2wasm")
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, assembler, join(VECTOR, "dot-kernel.wat"), "-o", out])
    if (exitCode !== 0) throw new Error(`the kernel cannot be assembled: ${stderr}`)
    return readFileSync(out)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

if (import.meta.main)
  writeFileSync(
    join(VECTOR, "dot-kernel-bytes.ts"),
    `/** \`dot-kernel.wat\` assembled, in base 64: written by \`scripts/build/assemble-kernel.ts\`. */
export const DOT_KERNEL =
  "${Buffer.from(assembleKernel()).toString("base64")}"
`,
  )
