/** The allow-list of system calls as a filter in the kernel, for all threads of this process and for good. */
import { ptr } from "bun:ffi"
import { libc, PR_SET_NO_NEW_PRIVS, systemCall } from "./linux.ts"
import { ALLOWED_CALLS, type ArgumentRule, MACHINES, type Machine, NEWEST_KNOWN_CALL } from "./system-calls.ts"

const SET_MODE_FILTER = 1
/** The filter holds for all threads, not only for the one that sets it. */
const FLAG_TSYNC = 1

/** @returns whether the filter is set */
export function allowListedCallsOnly(): boolean {
  const machine = MACHINES[process.arch]
  if (!machine) return false
  libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // what a process without privileges must do first
  const filter = filterProgram(machine, process.arch as "x64" | "arm64", process.pid)
  const program = new BigUint64Array([BigInt(filter.length / 8), BigInt(ptr(filter))])
  return systemCall(machine.seccomp, SET_MODE_FILTER, FLAG_TSYNC, program) === 0
}

const LOAD_WORD = 0x20
const AND = 0x54
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_GREATER_OR_EQUAL = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
/**
 * A refusal rather than an end: libraries ask for more than they need (a name for a piece of memory, a scheduling class)
 * and go on without, differently on every kernel. Whoever took the process over gains nothing by being told no.
 */
const REFUSE = 0x00050000 + 1 // EPERM
const UNKNOWN = 0x00050000 + 38 // ENOSYS
/** Calls of another machine's table: nothing of ours makes them, so this is an attack. */
const KILL_PROCESS = 0x80000000
/** Offsets in struct seccomp_data. */
const CALL_NUMBER = 0
const ARCHITECTURE = 4
const argumentAt = (index: number): number => 16 + index * 8

type Step = [code: number, whenTrue: number, whenFalse: number, value: number]

/** Classic BPF (linux/filter.h): 8 bytes per instruction. A call that needs no look at its arguments costs nothing: the kernel remembers it. */
function filterProgram(machine: Machine, arch: "x64" | "arm64", ownPid: number): Uint8Array {
  const { audit, foreignFrom } = machine
  const steps: Step[] = [
    [LOAD_WORD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD_WORD, 0, 0, CALL_NUMBER],
  ]
  if (foreignFrom !== undefined) steps.push([JUMP_IF_GREATER_OR_EQUAL, 0, 1, foreignFrom], [RETURN, 0, 0, KILL_PROCESS])
  for (const call of Object.values(ALLOWED_CALLS)) {
    const number = call[arch]
    if (number === undefined) continue
    const check = call.rule ? checkOf(call.rule, ownPid) : []
    steps.push([JUMP_IF_EQUAL, 0, check.length + 1, number], ...check, [RETURN, 0, 0, ALLOW])
  }
  steps.push([JUMP_IF_GREATER_OR_EQUAL, 0, 1, NEWEST_KNOWN_CALL + 1], [RETURN, 0, 0, UNKNOWN], [RETURN, 0, 0, REFUSE])
  return encoded(steps)
}

/** Falls through to what follows where the argument fits, and refuses otherwise. */
function checkOf({ index, values, mask }: ArgumentRule, ownPid: number): Step[] {
  return [
    [LOAD_WORD, 0, 0, argumentAt(index)],
    ...(mask === undefined ? [] : [[AND, 0, 0, mask] as Step]),
    ...values.map((value, at): Step => [JUMP_IF_EQUAL, values.length - at, 0, value === "own_pid" ? ownPid : value]),
    [RETURN, 0, 0, REFUSE],
  ]
}

function encoded(steps: Step[]): Uint8Array {
  const bytes = new Uint8Array(steps.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [at, [code, whenTrue, whenFalse, value]] of steps.entries()) {
    view.setUint16(at * 8, code, true)
    view.setUint8(at * 8 + 2, whenTrue)
    view.setUint8(at * 8 + 3, whenFalse)
    view.setUint32(at * 8 + 4, value, true)
  }
  return bytes
}
