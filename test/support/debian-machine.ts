/**
 * A Debian machine of its own, booted with systemd in a container without network, for what a package does to a machine.
 * Takes root, `debootstrap` and `systemd-nspawn`. The files that each machine starts from are made once, in `.build/`.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { until } from "./until.ts"

const RELEASE = "bookworm"
const ORIGIN = resolve(import.meta.dir, `../../.build/debian-${RELEASE}`)
/** What a package with a unit takes for granted, and what this one depends on. */
const INCLUDED = ["systemd", "systemd-sysv", "dbus", "adduser", "libstdc++6"]
/** Debian is fetched and unpacked at the first use. */
export const MACHINE_TIMEOUT_MS = 300_000
const BOOT_MS = 60_000

/** Why there can be none, in words for a person; undefined where there can. */
export function lacksMachine(): string | undefined {
  if (process.getuid?.() !== 0) return "a machine in a container takes root"
  const missing = ["debootstrap", "systemd-nspawn", "nsenter", "dpkg-deb", "curl"].filter(tool => !Bun.which(tool))
  return missing.length > 0 ? `not installed: ${missing.join(", ")}` : undefined
}

export interface Output {
  code: number
  out: string
  err: string
}

/** A folder with Debian in it; whoever calls removes it. */
export async function debianRoot(): Promise<string> {
  if (!existsSync(ORIGIN)) {
    rmSync(`${ORIGIN}.partial`, { recursive: true, force: true })
    const argv = ["debootstrap", "--variant=minbase", `--include=${INCLUDED.join(",")}`, RELEASE, `${ORIGIN}.partial`]
    const { code, out, err } = await ran(argv)
    if (code !== 0) throw new Error(`debootstrap failed:\n${out.slice(-2_000)}${err}`)
    renameSync(`${ORIGIN}.partial`, ORIGIN)
  }
  const root = mkdtempSync(join(tmpdir(), "carrel-debian-"))
  await must(["cp", "-a", `${ORIGIN}/.`, root])
  return root
}

export class DebianMachine implements AsyncDisposable {
  private constructor(
    readonly root: string,
    private readonly container: Bun.Subprocess,
    private readonly leader: number,
  ) {}

  static async boot(): Promise<DebianMachine> {
    const root = await debianRoot()
    const how = ["--quiet", "--keep-unit", "--register=no", "--private-network", "--console=read-only"]
    const container = Bun.spawn(["systemd-nspawn", ...how, "-D", root, "-b"], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    })
    // The first child prepares the container and ends; systemd comes after it.
    const booted = async () => {
      const leader = childOf(container.pid)
      if (leader === undefined) return undefined
      const machine = new DebianMachine(root, container, leader)
      return /running|degraded/.test((await machine.run("systemctl", "is-system-running")).out) ? machine : undefined
    }
    return until(booted, { within: BOOT_MS, everyMs: 200 }).catch(error => {
      container.kill()
      throw error
    })
  }

  /** Runs a command in it, as root. */
  run(...words: string[]): Promise<Output> {
    const environment = [
      "env",
      "-i",
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
      "LC_ALL=C.UTF-8",
      "DEBIAN_FRONTEND=noninteractive",
    ]
    return ran(["nsenter", "-t", String(this.leader), "-a", ...environment, ...words])
  }

  /** What it prints, without the line's end. @throws Error where it fails */
  async output(...words: string[]): Promise<string> {
    const { code, out, err } = await this.run(...words)
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${out}${err}`)
    return out.trim()
  }

  /** The `curl` of this machine, in the network of that one. */
  curl(...words: string[]): Promise<Output> {
    return ran(["nsenter", "-t", String(this.leader), "-n", "curl", "--silent", "--show-error", ...words])
  }

  /** Where a file of it lies here. */
  at(path: string): string {
    return join(this.root, path)
  }

  put(file: string, path: string): void {
    cpSync(file, this.at(path))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.container.kill()
    await this.container.exited
    rmSync(this.root, { recursive: true, force: true })
  }
}

function childOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return children === "" ? undefined : Number(children.split(" ")[0])
}

export async function ran(argv: string[]): Promise<Output> {
  const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

async function must(argv: string[]): Promise<void> {
  const { code, err } = await ran(argv)
  if (code !== 0) throw new Error(`${argv.join(" ")} failed: ${err}`)
}
