/**
 * System calls made *by another process*, as code that took it over would make them: stopped with ptrace, given the
 * registers of a call, stepped over one `syscall` instruction, put back. What answers is the real kernel with the fence of
 * the real process, so nothing has to be built into the product for a test to attack from the inside. x86-64 Linux.
 */
import { dlopen, FFIType, ptr, read } from "bun:ffi"
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs"

const PTRACE = { SINGLESTEP: 9, GETREGS: 12, SETREGS: 13, ATTACH: 16, DETACH: 17 }
const WAIT_ALL = 0x40000000
const REGISTERS = 27
const R10 = 7
const R9 = 8
const R8 = 9
const RAX = 10
const RDX = 12
const RSI = 13
const RDI = 14
const ORIG_RAX = 15
const RIP = 16
const RSP = 19
const ARGUMENTS = [RDI, RSI, RDX, R10, R8, R9]
/** Below what the stopped function may still use of its stack. */
const SCRATCH_BELOW = 16_384

export const CAN_INJECT = process.platform === "linux" && process.arch === "x64"

const libc = () =>
  dlopen("libc.so.6", {
    ptrace: { args: [FFIType.i64, FFIType.i32, FFIType.u64, FFIType.u64], returns: FFIType.i64_fast },
    waitpid: { args: [FFIType.i32, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
    __errno_location: { args: [], returns: FFIType.ptr },
  }).symbols

export class ForeignProcess {
  private readonly symbols = libc()
  private readonly memory: number
  private readonly syscallAt: bigint
  private readonly saved: BigUint64Array
  private scratch: bigint
  ended = false

  /** Stops the main thread of the process. @throws where this user may not */
  constructor(readonly pid: number) {
    if (Number(this.symbols.ptrace(PTRACE.ATTACH, pid, 0, 0)) !== 0) throw new Error(`ptrace: error ${this.errno()}`)
    this.wait()
    this.memory = openSync(`/proc/${pid}/mem`, "r+")
    this.syscallAt = this.findSyscall()
    this.saved = this.registers()
    this.scratch = this.saved[RSP]! - BigInt(SCRATCH_BELOW)
  }

  /** Result of the call: negative is the error number. A text becomes the address of a copy in the other process. */
  call(number: number, ...args: (number | bigint | string | Uint8Array)[]): number {
    this.scratch = this.saved[RSP]! - BigInt(SCRATCH_BELOW)
    const registers = this.saved.slice()
    registers[RAX] = BigInt(number)
    registers[ORIG_RAX] = 2n ** 64n - 1n // the interrupted call is not begun again
    registers[RIP] = this.syscallAt
    for (const [at, value] of args.entries()) registers[ARGUMENTS[at]!] = this.argument(value)
    this.setRegisters(registers)
    for (;;) {
      this.symbols.ptrace(PTRACE.SINGLESTEP, this.pid, 0, 0)
      this.wait()
      if (this.ended) return 0
      const after = this.registers()
      if (after[RIP] !== this.syscallAt) return Number(BigInt.asIntN(64, after[RAX]!))
    }
  }

  /** Lets it go on where it was. */
  release(): void {
    if (!this.ended) {
      this.setRegisters(this.saved)
      this.symbols.ptrace(PTRACE.DETACH, this.pid, 0, 0)
    }
    closeSync(this.memory)
  }

  private argument(value: number | bigint | string | Uint8Array): bigint {
    if (typeof value === "number" || typeof value === "bigint") return BigInt.asUintN(64, BigInt(value))
    const bytes = typeof value === "string" ? Buffer.from(`${value}\0`) : value
    const at = this.scratch
    writeSync(this.memory, bytes, 0, bytes.length, Number(at))
    this.scratch += BigInt((bytes.length + 15) & ~15)
    return at
  }

  private registers(): BigUint64Array {
    const registers = new BigUint64Array(new ArrayBuffer(REGISTERS * 8))
    this.symbols.ptrace(PTRACE.GETREGS, this.pid, 0, Number(ptr(registers)))
    return registers
  }

  private setRegisters(registers: BigUint64Array): void {
    this.symbols.ptrace(PTRACE.SETREGS, this.pid, 0, Number(ptr(registers)))
  }

  private wait(): void {
    const status = new Int32Array(new ArrayBuffer(4))
    this.symbols.waitpid(this.pid, status, WAIT_ALL)
    this.ended = (status[0]! & 0xff) !== 0x7f
  }

  private findSyscall(): bigint {
    const line = readFileSync(`/proc/${this.pid}/maps`, "utf8")
      .split("\n")
      .find(each => /r-xp .*\/libc[.-]/.test(each))
    const [start, end] = line!
      .split(" ")[0]!
      .split("-")
      .map(text => Number.parseInt(text, 16)) as [number, number]
    const code = Buffer.alloc(end - start)
    readSync(this.memory, code, 0, code.length, start)
    return BigInt(start + code.indexOf(Buffer.from([0x0f, 0x05, 0xc3])))
  }

  private errno(): number {
    return read.i32(this.symbols.__errno_location()!)
  }
}
