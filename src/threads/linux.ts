/** The system calls that JavaScript has no name for. Linux only; every call is one crossing into libc. */
import { dlopen, FFIType, ptr, read } from "bun:ffi"

type Argument = number | NodeJS.TypedArray

export const PR_SET_PDEATHSIG = 1
const PR_SET_DUMPABLE = 4
export const PR_CAPBSET_DROP = 24
export const PR_SET_NO_NEW_PRIVS = 38

const open = () =>
  dlopen("libc.so.6", {
    syscall: {
      args: [FFIType.i64, FFIType.i64, FFIType.i64, FFIType.i64, FFIType.i64, FFIType.i64],
      returns: FFIType.i64_fast,
    },
    prctl: { args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64], returns: FFIType.i32 },
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    socketpair: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    sendmsg: { args: [FFIType.i32, FFIType.ptr, FFIType.i32], returns: FFIType.i64_fast },
    recvmsg: { args: [FFIType.i32, FFIType.ptr, FFIType.i32], returns: FFIType.i64_fast },
    mmap: {
      args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
      returns: FFIType.i64_fast,
    },
    munmap: { args: [FFIType.u64, FFIType.u64], returns: FFIType.i32 },
    getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    getpeername: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    dup: { args: [FFIType.i32], returns: FFIType.i32 },
    dup2: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    setpriority: { args: [FFIType.i32, FFIType.u32, FFIType.i32], returns: FFIType.i32 },
    setsid: { args: [], returns: FFIType.i32 },
    execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    __errno_location: { args: [], returns: FFIType.ptr },
  }).symbols

let symbols: ReturnType<typeof open> | undefined

/** libc of this process. @throws where there is none of the GNU kind. */
export function libc(): ReturnType<typeof open> {
  symbols ??= open()
  return symbols
}

/** Returns what the kernel returns, or the negated error number. */
export function systemCall(number: number, ...given: Argument[]): number {
  const args = given.map(value => (typeof value === "number" ? value : Number(ptr(value))))
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = args
  const result = Number(libc().syscall(number, a, b, c, d, e))
  return result === -1 ? -errno() : result
}

/** Of the last call that failed in this thread. */
export const errno = (): number => read.i32(libc().__errno_location()!)

/** A text with its final zero byte. */
export const cString = (text: string): Buffer => Buffer.from(`${text}\0`)

/**
 * Makes this process's memory, environment and descriptors unreadable for other processes of the same user, whatever the
 * system's setting for tracing (Yama) says. Root still may.
 */
export function hideProcess(): void {
  if (process.platform === "linux") libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
}
