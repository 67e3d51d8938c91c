/** Variables that native libraries read for themselves, through libc: writing to `process.env` does not reach them in Bun. */
import { dlopen, FFIType } from "bun:ffi"

const LIBC = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6"

/** Sets variables in libc's environment of this process, for libraries that are loaded later. */
export function setLibraryVariables(variables: Record<string, string>): void {
  if (process.platform === "win32") setOnWindows(variables)
  else setInLibc(variables)
}

function setInLibc(variables: Record<string, string>): void {
  const libc = dlopen(LIBC, {
    getenv: { args: [FFIType.cstring], returns: FFIType.cstring },
    setenv: { args: [FFIType.cstring, FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
  })
  for (const [name, value] of Object.entries(variables)) {
    const key = cString(name)
    // Every worker thread comes through here: setenv moves the environment under the feet of those that read it.
    if (libc.symbols.getenv(key)?.toString() === value) continue
    if (libc.symbols.setenv(key, cString(value), 1) !== 0) throw new Error(`libc refused to set ${name}`)
  }
  libc.close()
}

/** Windows has no setenv; this sets the environment of its C runtime and that of the system. */
function setOnWindows(variables: Record<string, string>): void {
  const runtime = dlopen("ucrtbase.dll", { _wputenv_s: { args: [FFIType.ptr, FFIType.ptr], returns: FFIType.i32 } })
  for (const [name, value] of Object.entries(variables))
    if (runtime.symbols._wputenv_s(wideString(name), wideString(value)) !== 0)
      throw new Error(`the C runtime refused to set ${name}`)
  runtime.close()
}

const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const M_ARENA_MAX = -8
const RETURNED_BYTES = 2 ** 20

/**
 * Makes libc give memory of native libraries back to the system when they free it. It would raise its own threshold
 * to 32 MB and keep a heap per thread: LanceDB then held 150 MB more after an add and a compaction at a million
 * passages. Call before threads are started; does nothing where libc is not glibc.
 */
export function returnFreedMemory(): void {
  if (process.platform !== "linux") return
  const libc = dlopen(LIBC, { mallopt: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } })
  libc.symbols.mallopt(M_ARENA_MAX, 2)
  libc.symbols.mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES)
  libc.symbols.mallopt(M_TRIM_THRESHOLD, RETURNED_BYTES)
  libc.close()
}

const wideString = (text: string): Buffer => Buffer.from(`${text}\0`, "utf16le")
const cString = (text: string): Buffer => Buffer.from(`${text}\0`)
