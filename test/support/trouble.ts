/** Disks and systems in trouble, made by the system itself; each says whether it can be had here. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "./until.ts"

const succeeds = (...command: string[]): boolean => {
  try {
    return Bun.spawnSync(command, { stdout: "ignore", stderr: "ignore" }).exitCode === 0
  } catch {
    return false // not installed
  }
}

/** Whether system calls can be delayed and made to fail here. */
export const canInject = succeeds(
  ...["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "inject=fdatasync:delay_exit=1", "true"],
)

/** Runs a program with some of its system calls changed; `how` as strace has it, such as `delay_exit=1000` or `error=EIO`. */
export const injecting = (calls: string, how: string): string[] => [
  ...["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null"],
  ...["-e", `trace=${calls}`, "-e", `inject=${calls}:${how}`],
]

/** The same for a process that runs, until the returned function is called; `path` narrows it to calls on one file. */
export async function injectInto(pid: number, calls: string, how: string, path?: string): Promise<() => Promise<void>> {
  const changes = ["-e", `trace=${calls}`, "-e", `inject=${calls}:${how}`, ...(path ? ["-P", path] : [])]
  const tracer = Bun.spawn(["strace", "-f", "-qq", "-o", "/dev/null", "-p", String(pid), ...changes], {
    stderr: "ignore",
  })
  await until(() => /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
  return async () => {
    tracer.kill("SIGTERM")
    await tracer.exited
  }
}

/** A small ext4 of its own, which turns read-only at its first error. */
export class Disk {
  private readonly folder = mkdtempSync(join(tmpdir(), "carrel-disk-"))
  private readonly image = join(this.folder, "image")
  readonly path = join(this.folder, "disk")
  /** False where a file system cannot be made or mounted: that takes root and a loop device. */
  readonly mounted: boolean

  constructor(sizeMb: number) {
    mkdirSync(this.path)
    writeFileSync(this.image, "")
    this.mounted =
      succeeds("truncate", "-s", `${sizeMb}M`, this.image) &&
      // Without a journal the error leaves the file system as it is.
      succeeds("mkfs.ext4", "-q", "-O", "^has_journal", this.image) &&
      this.mount()
    if (!this.mounted) rmSync(this.folder, { recursive: true, force: true })
  }

  /** As an error of the device would: whoever has files open keeps them, and none can be written. */
  turnReadOnly(): void {
    const device = Bun.spawnSync(["findmnt", "-n", "-o", "SOURCE", this.path]).stdout.toString().trim()
    writeFileSync(`/sys/fs/ext4/${device.replace("/dev/", "")}/trigger_fs_error`, "1")
  }

  /** Checked and mounted anew, as an operator would; nobody may have files open. */
  async repair(): Promise<void> {
    await unmount(this.path)
    succeeds("e2fsck", "-fy", this.image)
    if (!this.mount()) throw new Error("the disk cannot be mounted again")
  }

  async remove(): Promise<void> {
    if (!this.mounted) return
    await unmount(this.path)
    rmSync(this.folder, { recursive: true, force: true })
  }

  private mount(): boolean {
    return succeeds("mount", "-o", "loop,errors=remount-ro", this.image, this.path)
  }
}

/** A process that has just ended may hold its files for a moment longer. */
export async function unmount(path: string): Promise<void> {
  await until(() => succeeds("umount", path), { everyMs: 50 })
}
