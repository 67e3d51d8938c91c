/** Variables that native libraries read for themselves, through libc: writing to `process.env` does not reach them in Bun. */
import { dlopen, FFIType } from "bun:ffi"

const LIBC = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6"

/** Sets variables in libc's environment of this process, for libraries that are loaded later. */
export function setLibraryVariables(variables: Record<string, string>): void {
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

const cString = (text: string): Buffer => Buffer.from(`${text}\0`)
