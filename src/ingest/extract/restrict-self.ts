/**
 * Takes rights from the reader process, on Linux: it dies with its parent even while a parser hangs, and can neither open
 * sockets nor start programs nor look into other processes. A document that takes over a parser gains nothing of these.
 * An additional fence: where the system refuses it, reading goes on without.
 */
import { dlopen, FFIType, ptr } from "bun:ffi"

const PR_SET_PDEATHSIG = 1
const PR_SET_NO_NEW_PRIVS = 38
const SIGKILL = 9
const SECCOMP_SET_MODE_FILTER = 1
/** The filter holds for all threads, not only for the one that sets it. */
const SECCOMP_FILTER_FLAG_TSYNC = 1

interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  audit: number
  seccomp: number
  /** Numbers of system calls that are answered with EPERM. */
  refused: number[]
}

/** socket, connect, bind, listen, accept, sendto, ptrace, execve, execveat, process_vm_readv, process_vm_writev. */
const MACHINES: Partial<Record<NodeJS.Architecture, Machine>> = {
  x64: { audit: 0xc000003e, seccomp: 317, refused: [41, 42, 49, 50, 43, 101, 59, 322, 310, 311] },
  arm64: { audit: 0xc00000b7, seccomp: 277, refused: [198, 203, 200, 201, 202, 117, 221, 281, 270, 271] },
}

/** Returns whether every right could be taken. */
export function restrictSelf(): boolean {
  const machine = MACHINES[process.arch]
  if (process.platform !== "linux" || !machine) return false
  try {
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64], returns: FFIType.i32 },
      syscall: { args: [FFIType.i64, FFIType.u64, FFIType.u64, FFIType.ptr], returns: FFIType.i64 },
    })
    const dies = symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) === 0
    // Required of processes without privileges before they may set a filter.
    symbols.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    const filter = filterProgram(machine)
    const program = new BigUint64Array([BigInt(filter.length / 8), BigInt(ptr(filter))])
    const set = symbols.syscall(machine.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ptr(program))
    return dies && Number(set) === 0
  } catch {
    return false
  }
}

const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const RETURN = 0x06
const ALLOW = 0x7fff0000
const REFUSE_EPERM = 0x00050001
/** Offsets in struct seccomp_data. */
const CALL_NUMBER = 0
const ARCHITECTURE = 4

/** Classic BPF (linux/filter.h): 8 bytes per instruction. Calls of another architecture's table pass the list by: refused too. */
function filterProgram({ audit, refused }: Machine): Uint8Array {
  const steps: [code: number, whenTrue: number, whenFalse: number, value: number][] = [
    [LOAD_WORD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 0, refused.length + 2, audit],
    [LOAD_WORD, 0, 0, CALL_NUMBER],
    ...refused.map((call, i): [number, number, number, number] => [JUMP_IF_EQUAL, refused.length - i, 0, call]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE_EPERM],
  ]
  const bytes = new Uint8Array(steps.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [i, [code, whenTrue, whenFalse, value]] of steps.entries()) {
    view.setUint16(i * 8, code, true)
    view.setUint8(i * 8 + 2, whenTrue)
    view.setUint8(i * 8 + 3, whenFalse)
    view.setUint32(i * 8 + 4, value, true)
  }
  return bytes
}
