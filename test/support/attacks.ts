/** What code that took over a child process would try, each as one system call of that process. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { ForeignProcess } from "./foreign-process.ts"

const AT_FDCWD = -100
const O_RDONLY = 0
const O_RDWR = 2
const O_CREAT = 0o100
const SIGCHLD = 17
const EPERM = -1
const ENOENT = -2
const ENOMEM = -12
const EACCES = -13
const ETXTBSY = -26
const ENOSYS = -38
const GIGABYTE = 2 ** 30

/** Any of these is a refusal; another error would mean that the attack was written wrongly. */
const REFUSED = new Set([EPERM, EACCES, ETXTBSY, ENOSYS])

export interface Victim {
  daemon: number
  /** The data directory. */
  data: string
  /** The program that the daemon runs. */
  program: string
}

type Attack = [name: string, number: number, ...args: (number | bigint | string | Uint8Array)[]]

function attacksOn({ daemon, data, program }: Victim): Attack[] {
  const room = new Uint8Array(256)
  const open = (path: string, flags: number): Attack => [
    `open ${path} with ${flags}`,
    257,
    AT_FDCWD,
    path,
    flags,
    0o600,
  ]
  const files = filesBelow(data)
  const native = files.filter(path => path.includes("/native/"))[0]
  return [
    ["socket, internet", 41, 2, 1, 0],
    ["socket, local", 41, 1, 1, 0],
    ["socketpair", 53, 1, 1, 0, room],
    ["connect", 42, 0, room, 16],
    ["bind", 49, 0, room, 16],
    ["listen", 50, 0, 1],
    ["sendmsg", 46, 0, room, 0],
    ["sendto", 44, 0, "x", 1, 0, 0, 0],
    ["io_uring_setup", 425, 8, room],
    ["io_uring_enter", 426, 3, 1, 0, 0, 0],
    ...["environ", "mem", "maps", "fd", "cwd", "root", "auxv", "cmdline"].map(name =>
      open(`/proc/${daemon}/${name}`, O_RDONLY),
    ),
    open(`/proc/${daemon}/mem`, O_RDWR),
    open(`/proc/${daemon}/oom_score_adj`, O_RDWR),
    ["ptrace", 101, 16, daemon, 0, 0],
    ["process_vm_readv", 310, daemon, room, 1, room, 1, 0],
    ["process_vm_writev", 311, daemon, room, 1, room, 1, 0],
    ["kcmp", 312, daemon, daemon, 0, 0, 0],
    ["pidfd_open", 434, daemon, 0],
    ["pidfd_getfd", 438, 0, 0, 0],
    ["pidfd_send_signal", 424, 0, 9, 0, 0],
    ["process_madvise", 440, 0, 0, 0, 0, 0],
    ["kill", 62, daemon, 0],
    ["kill all", 62, -1, 0],
    ["tkill", 200, daemon, 0],
    ["tgkill", 234, daemon, daemon, 0],
    ["rt_sigqueueinfo", 129, daemon, 0, room],
    ["rt_tgsigqueueinfo", 297, daemon, daemon, 0, room],
    ["fcntl, owner of signals", 72, 0, 8, daemon],
    ["fcntl, which signal", 72, 0, 10, 9],
    ["fcntl, lease", 72, 0, 1024, 0],
    ["ioctl, owner of signals", 16, 0, 0x8901, room],
    ["ioctl, type into a terminal", 16, 0, 0x5412, "x"],
    ["prctl, outlive the daemon", 157, 1, 0],
    ["prctl, machine of threads", 157, 4, 1],
    ["prlimit of the daemon", 302, daemon, 7, room, 0],
    ["setpriority", 141, 0, daemon, 19],
    ["sched_setaffinity", 203, daemon, 8, room],
    ["setrlimit", 160, 1, room],
    ["execve", 59, "/bin/sh", 0, 0],
    ["execveat", 322, AT_FDCWD, "/bin/sh", 0, 0, 0],
    ["fork", 57],
    ["vfork", 58],
    ["clone, a process", 56, SIGCHLD, 0, 0, 0, 0],
    ["clone3", 435, room, 88],
    ["unshare, user namespace", 272, 0x10000000],
    ["setns", 308, 0, 0],
    ["mount", 165, "none", "/tmp", "tmpfs", 0, 0],
    ["pivot_root", 155, "/", "/"],
    ["chroot", 161, "/"],
    ["bpf", 321, 0, room, 128],
    ["perf_event_open", 298, room, 0, -1, -1, 0],
    ["userfaultfd", 323, 0],
    ["add_key", 248, "user", "x", "y", 1, -3],
    ["keyctl", 250, 0, -3, 1],
    ["memfd_create", 319, "x", 0],
    ["inotify_init1", 294, 0],
    ["fanotify_init", 300, 0, 0],
    ["open_by_handle_at", 304, AT_FDCWD, room, 0],
    ["seccomp, another filter", 317, 0, 0, 0],
    ["setuid", 105, 0],
    ["capset", 126, room, room],
    ["init_module", 175, room, 256, ""],
    ["kexec_load", 246, 0, 0, 0, 0],
    ["shmget", 29, 1, 4096, 0o1600],
    ["mq_open", 240, "x", O_CREAT, 0o600, 0],
    ["modify_ldt", 154, 1, room, 16],
    ...[...files.filter(path => !path.includes("/native/")).slice(0, 40), ...(native ? [native] : [])].flatMap(path => [
      open(path, O_RDONLY),
      open(path, O_RDWR),
    ]),
    open(program, O_RDWR),
    open("/etc/passwd", O_RDONLY),
    open(join(data, "new"), O_RDWR | O_CREAT),
    open("/tmp/new-of-a-child", O_RDWR | O_CREAT),
    open("/dev/shm/new-of-a-child", O_RDWR | O_CREAT),
    open(data, 0o200000),
    ["open, the old call", 2, join(data, "carrel.db"), O_RDWR, 0],
    ["openat2", 437, AT_FDCWD, join(data, "carrel.db"), room, 24],
    ["creat", 85, join(data, "new"), 0o600],
    ["unlink", 87, join(data, "carrel.db")],
    ["unlinkat", 263, AT_FDCWD, join(data, "carrel.db"), 0],
    ["rename", 82, join(data, "carrel.db"), join(data, "x")],
    ["renameat2", 316, AT_FDCWD, join(data, "carrel.db"), AT_FDCWD, join(data, "x"), 0],
    ["link", 86, join(data, "carrel.db"), join(data, "x")],
    ["symlink", 88, join(data, "carrel.db"), join(data, "x")],
    ["mkdir", 83, join(data, "x"), 0o700],
    ["mknod", 133, join(data, "x"), 0o10600, 0],
    ["truncate", 76, join(data, "carrel.db"), 0],
    ["chmod", 90, join(data, "carrel.db"), 0o666],
    ["chown", 92, join(data, "carrel.db"), 0, 0],
    ["utimensat", 280, AT_FDCWD, join(data, "carrel.db"), 0, 0],
    ["setxattr", 188, join(data, "carrel.db"), "user.x", "y", 1, 0],
  ]
}

/** Carries out every attack. @returns those that were not refused, with what the kernel said */
export function attack(child: ForeignProcess, victim: Victim): string[] {
  const through = attacksOn(victim).flatMap(([name, number, ...args]) => {
    const result = child.call(number, ...args)
    return REFUSED.has(result) || (result === ENOENT && isGone(args[1])) ? [] : [`${name}: ${result}`]
  })
  const memory = child.call(9, 0, 256 * GIGABYTE, 3, 0x4022, -1, 0)
  if (memory !== ENOMEM) through.push(`256 GB of memory: ${memory}`)
  return through
}

/** A journal that the daemon has put away since its files were listed. */
const isGone = (path: unknown): boolean => typeof path === "string" && path.endsWith(".journal") && !existsSync(path)

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
