/** The Debian package on a machine of its own: what it puts there, keeps over an upgrade, and leaves behind. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { version } from "../../package.json"
import { smallPdf } from "../binary/small-pdf.ts"
import { DebianMachine, debianRoot, lacksMachine, MACHINE_TIMEOUT_MS, ran } from "../support/debian-machine.ts"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import { until } from "../support/until.ts"

const PROJECT = resolve(import.meta.dir, "../..")
const NEWER = "99.0.0"
const BASE = "http://127.0.0.1:4747/external-docs/external"
setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), "carrel-package-"))
let packages: Record<"this" | "newer", string>
const lacks = Bun.which("dpkg-deb") ? lacksMachine() : "dpkg-deb is not installed"
if (lacks) console.warn(`skipped: the Debian package is not installed anywhere here: ${lacks}`)

beforeAll(async () => {
  if (!Bun.which("dpkg-deb")) return
  await executable()
  packages = { this: await makePackage(version), newer: await makePackage(NEWER) }
}, BUILD_TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function makePackage(named: string): Promise<string> {
  const { code, out, err } = await ran([
    process.execPath,
    join(PROJECT, "scripts/package-deb.ts"),
    ...["--version", named, "--out", folder],
  ])
  if (code !== 0) throw new Error(err)
  return out.trim()
}

test.skipIf(!Bun.which("lintian"))("lintian has nothing to say that is not answered in the package", async () => {
  const { out } = await ran(["lintian", "--allow-root", "--tag-display-limit", "0", packages.this])
  expect(out).toBe("")
})

describe.skipIf(lacks !== undefined)("on a machine", () => {
  let machine: DebianMachine
  let key: string[]
  let pid: string
  beforeAll(async () => {
    machine = await DebianMachine.boot()
    for (const [name, file] of Object.entries(packages)) machine.put(file, `root/${name}.deb`)
  }, MACHINE_TIMEOUT_MS)
  afterAll(async () => machine?.[Symbol.asyncDispose]())

  const apt = (...words: string[]) => machine.output("apt-get", "--yes", "--no-install-recommends", ...words)
  const modeOf = (path: string) => machine.output("stat", "--format=%U:%G %a", path)
  const carrel = (...words: string[]) => machine.output("runuser", "-u", "carrel", "--", "carrel", ...words)
  const call = async (path: string, ...words: string[]) =>
    JSON.parse((await machine.curl(...key, ...words, `${BASE}${path}`)).out)
  const isReady = () =>
    until(async () => (await machine.curl("-f", "http://127.0.0.1:4747/readyz")).code === 0, { everyMs: 200 })
  const mainPid = () => machine.output("systemctl", "show", "--value", "--property=MainPID", "carrel")

  async function expectFound(): Promise<void> {
    const body = JSON.stringify({ query: "notice period garage", limit: 1 })
    const { hits } = await call("/search", "-H", "content-type: application/json", "-d", body)
    expect(hits[0]).toMatchObject({ file: { name: "lease.pdf" } })
  }

  test("apt installs it, and the daemon runs as its own user behind its fence", async () => {
    const said = await apt("install", "/root/this.deb")
    expect(said).toContain("carrel users setup-link --data /var/lib/carrel")
    await isReady()
    expect(await machine.output("systemctl", "is-enabled", "carrel")).toBe("enabled")
    expect(await machine.output("getent", "passwd", "carrel")).toMatch(/:\/var\/lib\/carrel:\/usr\/sbin\/nologin$/)
    expect([await modeOf("/var/lib/carrel"), await modeOf("/etc/carrel")]).toEqual([
      "carrel:carrel 700",
      "root:carrel 750",
    ])
    pid = await mainPid()
    expect(await machine.output("stat", "--format=%U", `/proc/${pid}`)).toBe("carrel")
    expect(await carrel("users", "setup-link", "--data", "/var/lib/carrel")).toStartWith(
      "http://127.0.0.1:4747/setup?token=",
    )
    expect(await carrel("doctor", "--data", "/var/lib/carrel")).toMatch(/^ok +fence of the readers: holds/m)
  })

  test("it brings the manual and completions for the shells that look for them", () => {
    for (const path of [
      "man/man1/carrel.1.gz",
      "bash-completion/completions/carrel",
      "fish/vendor_completions.d/carrel.fish",
    ])
      expect(statSync(machine.at(`usr/share/${path}`)).size).toBeGreaterThan(1_000)
    expect(readFileSync(machine.at("usr/share/zsh/vendor-completions/_carrel"), "utf8")).toStartWith(
      "#compdef carrel\n",
    )
  })

  test("the unit is sound, and exposes no more than 2 of 10", async () => {
    // It looks for the manual, which this machine has no program to read.
    const { out, err } = await machine.run("systemd-analyze", "verify", "--man=no", "carrel.service")
    expect(out + err).toBe("")
    const security = await machine.output("systemd-analyze", "security", "--threshold=20", "carrel.service")
    expect(security).toMatch(/Overall exposure level for carrel.service: [01]\.\d OK/)
  })

  test("a file that is sent to it is read and found", async () => {
    const headers = await carrel("keys", "create", "--name", "first", "--headers", "--data", "/var/lib/carrel")
    const file = join(folder, "key")
    writeFileSync(file, headers)
    key = ["-H", `@${file}`]
    const pdf = join(folder, "lease.pdf")
    writeFileSync(pdf, smallPdf(["The notice period for the green garage is eleven weeks."]))
    const { files } = await call("/upload", "-F", `files=@${pdf}`)
    await until(async () => (await call(`/libraries/${files[0].id}`)).status === "searchable", { everyMs: 200 })
    await expectFound()
  })

  test("settings of /etc/carrel hold for the daemon and for commands beside it", async () => {
    appendFileSync(machine.at("etc/carrel/carrel.toml"), 'log_level = "warn"\n')
    await machine.output("systemctl", "restart", "carrel")
    await isReady()
    expect(await carrel("settings", "--data", "/var/lib/carrel")).toMatch(/^log_level +warn +carrel.toml$/m)
    pid = await mainPid()
  })

  test("an upgrade starts the new version on the same data and keeps the settings", async () => {
    await machine.output("chmod", "755", "/etc/carrel")
    await apt("install", "/root/newer.deb")
    await isReady()
    expect(await mainPid()).not.toBe(pid)
    expect(await machine.output("dpkg-query", "--show", "carrel")).toBe(`carrel\t${NEWER}`)
    expect(readFileSync(machine.at("etc/carrel/carrel.toml"), "utf8")).toContain('log_level = "warn"\n')
    expect(await modeOf("/etc/carrel")).toBe("root:carrel 755") // as the administrator left it
    await expectFound()
  })

  test("an upgrade starts no daemon that was disabled", async () => {
    await machine.output("systemctl", "disable", "--now", "carrel")
    await apt("install", "--reinstall", "/root/newer.deb")
    expect((await machine.run("systemctl", "is-active", "carrel")).out.trim()).toBe("inactive")
    expect((await machine.run("systemctl", "is-enabled", "carrel")).out.trim()).toBe("disabled")
    await machine.output("systemctl", "enable", "--now", "carrel")
    await isReady()
  })

  test("removed, it stops, and data and settings stay for the next installation", async () => {
    await apt("remove", "carrel")
    expect((await machine.run("systemctl", "is-active", "carrel")).out.trim()).not.toBe("active")
    expect(existsSync(machine.at("usr/bin/carrel"))).toBe(false)
    expect(existsSync(machine.at("var/lib/carrel/carrel.db"))).toBe(true)
    await apt("install", "/root/this.deb")
    await isReady()
    await expectFound()
    expect(readFileSync(machine.at("etc/carrel/carrel.toml"), "utf8")).toContain('log_level = "warn"\n')
  })

  test("purged, it leaves nothing", async () => {
    await apt("purge", "carrel")
    const { out: left } = await machine.run("find", "/etc", "/usr", "/var/lib", "/run", "-xdev", "-iname", "*carrel*")
    expect(left.split("\n").filter(path => path && !path.startsWith("/var/lib/dpkg/info/"))).toEqual([])
    expect((await machine.run("getent", "passwd", "carrel")).code).toBe(2)
    expect((await machine.run("getent", "group", "carrel")).code).toBe(2)
    expect((await machine.run("dpkg-query", "--show", "carrel")).code).toBe(1)
  })
})

test.skipIf(lacks !== undefined)(
  "where no systemd runs, as in an image, it installs as well",
  async () => {
    const root = await debianRoot()
    try {
      await Bun.$`cp ${packages.this} ${root}/root/carrel.deb`
      const inside = (...words: string[]) =>
        ran(["unshare", "-n", "-m", "-p", "-f", `--mount-proc=${root}/proc`, "chroot", root, ...words])
      expect((await inside("dpkg", "--install", "/root/carrel.deb")).code).toBe(0)
      expect(statSync(join(root, "var/lib/carrel")).mode & 0o777).toBe(0o700)
      const said = await inside("runuser", "-u", "carrel", "--", "carrel", "version")
      expect(said.out).toMatch(/^\d+\.\d+\.\d+\+\w+\n$/)
      expect((await inside("dpkg", "--purge", "carrel")).code).toBe(0)
      expect(existsSync(join(root, "var/lib/carrel"))).toBe(false)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
  MACHINE_TIMEOUT_MS,
)
