/**
 * Makes the Debian package: `bun scripts/package-deb.ts [--target linux-x64|linux-arm64] [--version VERSION] [--out FOLDER]`,
 * of the executable in `dist/`, with `dpkg-deb`. What the package does with a machine stands in `deploy/debian/`.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import manifest from "../package.json" with { type: "json" }
import { executableName, HOST_TARGET } from "./build/targets.ts"

const PROJECT = resolve(import.meta.dir, "..")
const PARTS = join(PROJECT, "deploy/debian")
const STAGING = join(PROJECT, ".build/deb")

const ARCHITECTURES: Record<string, string> = { "linux-x64": "amd64", "linux-arm64": "arm64" }

/** 265 MB in 6 s; xz takes 35 s for 7 % less, because most of the executable is packed already. */
const COMPRESSION = ["-Zgzip", "-z1"]

const COMPLETIONS = {
  bash: "usr/share/bash-completion/completions/carrel",
  zsh: "usr/share/zsh/vendor-completions/_carrel",
  fish: "usr/share/fish/vendor_completions.d/carrel.fish",
}

const { values } = parseArgs({
  options: {
    target: { type: "string", default: HOST_TARGET },
    version: { type: "string", default: manifest.version },
    out: { type: "string", default: join(PROJECT, "dist") },
  },
})
const architecture =
  ARCHITECTURES[values.target] ?? fail(`--target must be one of ${Object.keys(ARCHITECTURES).join(", ")}`)
const executable = join(PROJECT, "dist", executableName(values.target))
if (!existsSync(executable)) fail(`${executable} is missing; \`npm run build\` makes it`)
if (!Bun.which("dpkg-deb")) fail("dpkg-deb is missing; Debian's package dpkg has it")

/** The files as they will lie on the machine. */
function layOut(): void {
  cpSync(executable, placed("usr/bin/carrel"))
  chmodSync(at("usr/bin/carrel"), 0o755)
  write("usr/lib/systemd/system/carrel.service", unit())
  for (const name of ["carrel.toml", "carrel.env"]) write(`etc/carrel/${name}`, part(name))
  write("usr/share/doc/carrel/copyright", part("copyright"))
  write("usr/share/doc/carrel/changelog.gz", gzipSync(changelog(), { level: 9 }))
  write("usr/share/doc/carrel/examples/carrel.toml", fromCarrel("settings", "--template"))
  write("usr/share/man/man1/carrel.1.gz", gzipSync(fromCarrel("man"), { level: 9 }))
  for (const [shell, path] of Object.entries(COMPLETIONS)) write(path, fromCarrel("completions", shell))
  write("usr/share/lintian/overrides/carrel", part("lintian-overrides"))
}

/** The unit of `deploy/` without how it is set up by hand, and with the package's places. */
function unit(): string {
  const text = readFileSync(join(PROJECT, "deploy/carrel.service"), "utf8").replace(/^(?:#.*\n)+(?=\[Unit\])/, "")
  return [
    ["Description=Carrel, an AI workspace\n", "Description=Carrel, an AI workspace\nDocumentation=man:carrel(1)\n"],
    ["/usr/local/bin/carrel", "/usr/bin/carrel"],
    ["EnvironmentFile=-/etc/carrel.env", "EnvironmentFile=-/etc/carrel/carrel.env"],
  ].reduce((unit, [from, to]) => {
    if (!unit.includes(from!)) fail(`deploy/carrel.service no longer has the text that the package replaces: ${from}`)
    return unit.replace(from!, to!)
  }, text)
}

/** Debian's form of it, for tools that show what an upgrade brings; what changed stands in the project's own. */
function changelog(): string {
  const date = new Date(Number(output("git", "-C", PROJECT, "log", "-1", "--format=%ct")) * 1000).toUTCString()
  return `carrel (${values.version}) stable; urgency=medium

  * See CHANGELOG.md of this version.

 -- ${maintainer()}  ${date.replace("GMT", "+0000")}
`
}

const maintainer = (): string => /^Maintainer: (.*)$/m.exec(part("control"))![1]!

function control(): void {
  write(
    "DEBIAN/md5sums",
    output("sh", "-c", `cd "$0" && find usr -type f -print0 | sort -z | xargs -0 md5sum`, STAGING),
  )
  const sizes = { VERSION: values.version, ARCHITECTURE: architecture, INSTALLED_SIZE: String(kibibytesBelow(STAGING)) }
  write(
    "DEBIAN/control",
    part("control").replace(/@(\w+)@/g, (_, name: keyof typeof sizes) => sizes[name]),
  )
  write("DEBIAN/conffiles", part("conffiles"))
  for (const script of ["postinst", "prerm", "postrm"]) {
    write(`DEBIAN/${script}`, part(script))
    chmodSync(at(`DEBIAN/${script}`), 0o755)
  }
}

const kibibytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true })
    .map(name => Math.ceil(lstatSync(join(folder, String(name))).size / 1024))
    .reduce((sum, size) => sum + size, 0)

/** What the executable itself says. One of another platform cannot be asked; its source says the same. */
function fromCarrel(...words: string[]): string {
  return output(process.execPath, join(PROJECT, "src/main.ts"), ...words)
}

const part = (name: string): string => readFileSync(join(PARTS, name), "utf8")
const at = (path: string): string => join(STAGING, path)

function placed(path: string): string {
  mkdirSync(dirname(at(path)), { recursive: true, mode: 0o755 })
  return at(path)
}

function write(path: string, content: string | Uint8Array): void {
  writeFileSync(placed(path), content)
  chmodSync(at(path), 0o644)
}

function output(...argv: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(argv)
  if (exitCode !== 0) fail(`${argv.join(" ")}: ${stderr}`)
  return stdout.toString()
}

function run(...argv: string[]): void {
  if (Bun.spawnSync(argv, { stdio: ["ignore", "ignore", "inherit"] }).exitCode !== 0) fail(`${argv[0]} failed`)
}

rmSync(STAGING, { recursive: true, force: true })
layOut()
control()
const file = join(values.out, `carrel_${values.version}_${architecture}.deb`)
run("dpkg-deb", ...COMPRESSION, "--root-owner-group", "--build", STAGING, file)
rmSync(STAGING, { recursive: true })
console.log(file)

function fail(message: string): never {
  console.error(`package-deb: ${message}`)
  process.exit(1)
}
