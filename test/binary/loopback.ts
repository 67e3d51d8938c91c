/** Switches on 127.0.0.1 in a new network namespace, where it is down. `ip link set lo up`, without needing `ip`. */
import { dlopen, FFIType } from "bun:ffi"

const AF_INET = 2
const SOCK_DGRAM = 2
const SIOCSIFFLAGS = 0x8914
const IFF_UP_RUNNING = 0x41

/** Does nothing where the network is that of the machine, because it is up already. */
export function bringLoopbackUp(): void {
  const libc = dlopen("libc.so.6", {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  })
  // struct ifreq: 16 bytes of name, then the flags.
  const request = Buffer.alloc(40)
  request.write("lo")
  request.writeInt16LE(IFF_UP_RUNNING, 16)
  const handle = libc.symbols.socket(AF_INET, SOCK_DGRAM, 0)
  libc.symbols.ioctl(handle, SIOCSIFFLAGS, request)
  libc.symbols.close(handle)
  libc.close()
}
