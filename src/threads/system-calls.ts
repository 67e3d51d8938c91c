/**
 * What a fenced child may ask of the kernel, by name, with the numbers of both machines that Carrel runs on. The list was
 * taken with strace from readers of every format with OCR, from tables, expressions and schemas, from source and from
 * the executable, and completed by what the same libraries call on other kernels and C libraries.
 */

/** A condition on one argument; the call is refused where none of the values fits. */
export interface ArgumentRule {
  index: number
  values: (number | "own_pid")[]
  /** Bits of the argument that are looked at; all 32 of its lower half where absent. */
  mask?: number
}

interface AllowedCall {
  /** Absent where the machine does not have the call. */
  x64?: number
  arm64?: number
  rule?: ArgumentRule
}

const CLONE_THREAD_OF_THIS_PROCESS = 0x00010100 // CLONE_VM | CLONE_THREAD
const FCNTL_DUPLICATE_AND_FLAGS = [0, 1, 2, 3, 4, 1030] // no owner to signal, no leases, no notification
const IOCTL_TERMINAL_AND_BLOCKING = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451]
const O_TRUNC = 0o1000
const PRCTL_NAMES = [15, 16, 0x53564d41] // of threads and of memory; not what binds the child to its parent

export const ALLOWED_CALLS: Record<string, AllowedCall> = {
  // Memory
  mmap: { x64: 9, arm64: 222 },
  mprotect: { x64: 10, arm64: 226 },
  munmap: { x64: 11, arm64: 215 },
  mremap: { x64: 25, arm64: 216 },
  madvise: { x64: 28, arm64: 233 },
  mincore: { x64: 27, arm64: 232 },
  brk: { x64: 12, arm64: 214 },
  membarrier: { x64: 324, arm64: 283 },
  // Threads of this process, and their locks
  clone: {
    x64: 56,
    arm64: 220,
    rule: { index: 0, values: [CLONE_THREAD_OF_THIS_PROCESS], mask: CLONE_THREAD_OF_THIS_PROCESS },
  },
  futex: { x64: 202, arm64: 98 },
  set_robust_list: { x64: 273, arm64: 99 },
  get_robust_list: { x64: 274, arm64: 100, rule: { index: 0, values: [0] } },
  rseq: { x64: 334, arm64: 293 },
  set_tid_address: { x64: 218, arm64: 96 },
  sched_yield: { x64: 24, arm64: 124 },
  sched_getaffinity: { x64: 204, arm64: 123 },
  exit: { x64: 60, arm64: 93 },
  exit_group: { x64: 231, arm64: 94 },
  // Signals among the threads of this process: the garbage collector stops them so
  rt_sigaction: { x64: 13, arm64: 134 },
  rt_sigprocmask: { x64: 14, arm64: 135 },
  rt_sigreturn: { x64: 15, arm64: 139 },
  sigaltstack: { x64: 131, arm64: 132 },
  restart_syscall: { x64: 219, arm64: 128 },
  tgkill: { x64: 234, arm64: 131, rule: { index: 0, values: ["own_pid"] } },
  // Who and what
  getpid: { x64: 39, arm64: 172 },
  gettid: { x64: 186, arm64: 178 },
  getppid: { x64: 110, arm64: 173 },
  getuid: { x64: 102, arm64: 174 },
  geteuid: { x64: 107, arm64: 175 },
  getgid: { x64: 104, arm64: 176 },
  getegid: { x64: 108, arm64: 177 },
  getrusage: { x64: 98, arm64: 165 },
  getrlimit: { x64: 97, arm64: 163 },
  prlimit64: { x64: 302, arm64: 261, rule: { index: 0, values: [0] } },
  sysinfo: { x64: 99, arm64: 179 },
  uname: { x64: 63, arm64: 160 },
  getrandom: { x64: 318, arm64: 278 },
  prctl: { x64: 157, arm64: 167, rule: { index: 0, values: PRCTL_NAMES } },
  getcwd: { x64: 79, arm64: 17 },
  // Time
  clock_gettime: { x64: 228, arm64: 113 },
  clock_getres: { x64: 229, arm64: 114 },
  clock_nanosleep: { x64: 230, arm64: 115 },
  nanosleep: { x64: 35, arm64: 101 },
  gettimeofday: { x64: 96, arm64: 169 },
  time: { x64: 201 },
  // Waiting
  epoll_create1: { x64: 291, arm64: 20 },
  epoll_ctl: { x64: 233, arm64: 21 },
  epoll_wait: { x64: 232 },
  epoll_pwait: { x64: 281, arm64: 22 },
  epoll_pwait2: { x64: 441, arm64: 441 },
  eventfd2: { x64: 290, arm64: 19 },
  poll: { x64: 7 },
  ppoll: { x64: 271, arm64: 73 },
  timerfd_create: { x64: 283, arm64: 85 },
  timerfd_settime: { x64: 286, arm64: 86 },
  // Descriptors that are open, and files as far as Landlock lets them be opened
  read: { x64: 0, arm64: 63 },
  write: { x64: 1, arm64: 64 },
  readv: { x64: 19, arm64: 65 },
  writev: { x64: 20, arm64: 66 },
  pread64: { x64: 17, arm64: 67 },
  pwrite64: { x64: 18, arm64: 68 },
  lseek: { x64: 8, arm64: 62 },
  close: { x64: 3, arm64: 57 },
  dup: { x64: 32, arm64: 23 },
  fcntl: { x64: 72, arm64: 25, rule: { index: 1, values: FCNTL_DUPLICATE_AND_FLAGS } },
  ioctl: { x64: 16, arm64: 29, rule: { index: 1, values: IOCTL_TERMINAL_AND_BLOCKING } },
  /** Takes the descriptors of a request, and messages. Nothing that sends: replies are written. */
  recvmsg: { x64: 47, arm64: 212 },
  recvfrom: { x64: 45, arm64: 207 },
  // Landlock refuses to empty a file from Linux 6.2 on.
  open: { x64: 2, rule: { index: 1, values: [0], mask: O_TRUNC } },
  openat: { x64: 257, arm64: 56, rule: { index: 2, values: [0], mask: O_TRUNC } },
  stat: { x64: 4 },
  lstat: { x64: 6 },
  fstat: { x64: 5, arm64: 80 },
  newfstatat: { x64: 262, arm64: 79 },
  statx: { x64: 332, arm64: 291 },
  access: { x64: 21 },
  faccessat: { x64: 269, arm64: 48 },
  faccessat2: { x64: 439, arm64: 439 },
  readlink: { x64: 89 },
  readlinkat: { x64: 267, arm64: 78 },
  getdents64: { x64: 217, arm64: 61 },
}

export interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  audit: number
  seccomp: number
  closeRange: number
  /** Numbers from here on belong to a further table of calls (x32 on x86-64); none where absent. */
  foreignFrom?: number
  landlock: { createRuleset: number; addRule: number; restrictSelf: number }
}

const LANDLOCK = { createRuleset: 444, addRule: 445, restrictSelf: 446 }

export const MACHINES: Partial<Record<NodeJS.Architecture, Machine>> = {
  x64: { audit: 0xc000003e, seccomp: 317, closeRange: 436, foreignFrom: 0x40000000, landlock: LANDLOCK },
  arm64: { audit: 0xc00000b7, seccomp: 277, closeRange: 436, landlock: LANDLOCK },
}
/** Newer calls are told "there is no such call", which is what libraries that try them first know how to take. */
export const NEWEST_KNOWN_CALL = 434
/** clone3 hides its flags behind a pointer; C libraries fall back to clone where it is missing. */
