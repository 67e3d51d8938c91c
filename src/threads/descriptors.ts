/** Open files on their way from the daemon to a child, which cannot open any itself: SCM_RIGHTS over a pair of sockets. */
import { ptr } from "bun:ffi"
import { errno, libc } from "./linux.ts"

const AF_UNIX = 1
const SOCK_STREAM = 1
const SOCK_CLOEXEC = 0o2000000
const SOL_SOCKET = 1
const SCM_RIGHTS = 1
const MSG_DONTWAIT = 0x40
const MSG_NOSIGNAL = 0x4000
const MSG_CMSG_CLOEXEC = 0x40000000
const CONTROL_HEADER = 16
const MESSAGE_HEADER = 56
/** Of one request. */
const MAX_FILES = 8

/** Both ends; the second is for the child. */
export function socketPair(): [own: number, other: number] {
  const pair = new Int32Array(2)
  if (libc().socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) !== 0)
    throw new Error(`no sockets for a child process (error ${errno()})`)
  return [pair[0]!, pair[1]!]
}

/** Does not wait: the child has taken those of the request before. */
export function sendDescriptors(socket: number, files: number[]): void {
  const message = messageOf(files.length)
  message.control.setBigUint64(0, BigInt(CONTROL_HEADER + files.length * 4), true)
  message.control.setInt32(8, SOL_SOCKET, true)
  message.control.setInt32(12, SCM_RIGHTS, true)
  for (const [at, file] of files.entries()) message.control.setInt32(CONTROL_HEADER + at * 4, file, true)
  if (Number(libc().sendmsg(socket, message.header, MSG_DONTWAIT | MSG_NOSIGNAL)) !== 1)
    throw new Error(`the files could not be given to the child process (error ${errno()})`)
}

/** Waits for what the daemon sent before the request. */
export function receiveDescriptors(socket: number, count: number): number[] {
  const message = messageOf(count)
  if (Number(libc().recvmsg(socket, message.header, MSG_CMSG_CLOEXEC)) !== 1)
    throw new Error(`the files of the request did not come (error ${errno()})`)
  return Array.from({ length: count }, (_, at) => message.control.getInt32(CONTROL_HEADER + at * 4, true))
}

/** struct msghdr with one byte of text, as the kernel asks for, and room for the descriptors. */
function messageOf(count: number): { header: Uint8Array; control: DataView; parts: unknown[] } {
  if (count < 1 || count > MAX_FILES) throw new Error("a request brings between one file and eight")
  const text = new Uint8Array(1)
  const part = new BigUint64Array([BigInt(ptr(text)), 1n])
  const control = new DataView(new ArrayBuffer(CONTROL_HEADER + Math.ceil(count / 2) * 8))
  const header = new Uint8Array(MESSAGE_HEADER)
  const view = new DataView(header.buffer)
  view.setBigUint64(16, BigInt(ptr(part)), true)
  view.setBigUint64(24, 1n, true)
  view.setBigUint64(32, BigInt(ptr(control)), true)
  view.setBigUint64(40, BigInt(control.byteLength), true)
  return { header, control, parts: [text, part, control] }
}
