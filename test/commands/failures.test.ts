/**
 * Every command with bad input: each says what is wrong in one line, with a hint where something can be done, ends with the
 * documented status, and leaves nothing behind.
 */
import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unmount } from "../support/trouble.ts"
import { type Call, carrel } from "./carrel.ts"

const INPUT = "correct horse battery\n"
/** The failure and its hint, without a stack. */
const LINES = /^carrel: [^\n]+\n(?: {2}→ [^\n]+\n)?$/

let folder: string
const at = (...names: string[]) => join(folder, ...names)
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "carrel-failures-"))
  chmodSync(folder, 0o755)
  await carrel(["keys", "create", "--name", "first"], { data: at("data") })
  await carrel(["backup", at("whole.tar")], { data: at("data") })
  chmodSync(at("whole.tar"), 0o644)
  for (const [name, bytes] of [
    ["cut", 100_000],
    ["stub", 600],
    ["cut-at-end", readFileSync(at("whole.tar")).length - 1_500],
  ] as const) {
    cpSync(at("whole.tar"), at(`${name}.tar`))
    truncateSync(at(`${name}.tar`), bytes)
  }
  const changed = readFileSync(at("whole.tar"))
  changed[50_000]! ^= 1
  writeFileSync(at("changed.tar"), changed)
  writeFileSync(at("noise.tar"), crypto.getRandomValues(new Uint8Array(20_000)))
  writeFileSync(at("file"), "no directory")
  mkdirSync(at("folder"))
  writeFileSync(at("questions.jsonl"), '{"query": "a", "file": "none.txt"}\n')
  cpSync(at("data"), at("newer"), { recursive: true })
  const newer = new Sqlite(at("newer", "carrel.db"))
  newer.run("insert into migrations values ('9999-next', '')")
  newer.close()
  mkdirSync(at("noise"))
  writeFileSync(at("noise", "carrel.db"), crypto.getRandomValues(new Uint8Array(9_000)))
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the executable unpacked is larger than the disks here. */
const isSmall = (path: string) => !path.endsWith("native")

/** Runs in the folder and checks what holds for every failure. */
async function fails(line: string, options: Call = {}): Promise<{ code: number; err: string }> {
  const { code, out, err } = await carrel(line.split(" "), { cwd: folder, input: INPUT, ...options })
  expect(out).toBe("")
  expect(err).toMatch(LINES)
  return { code, err }
}

describe("the command line", () => {
  test.each([
    ["keys", "keys: create, list or revoke?"],
    ["keys bogus", 'there is no command "keys bogus"'],
    ["keys create", "--name is required"],
    ["keys create --name", "--name needs a value"],
    ["keys create --name x extra", 'unexpected argument "extra"'],
    ["keys create --name x --rate-limit-per-minute", "--rate-limit-per-minute needs a value"],
    ["keys create --name x --rate-limit-per-minute many", "rate_limit_per_minute: must be a whole number"],
    ["keys create --name x --scopes all", "scopes: all is not one of"],
    ["keys create --name x --filter 0", "filter: must be an object"],
    ["keys list --json=yes", "--json takes no value"],
    ["keys list --workspace typo", 'there is no workspace "typo"'],
    ["keys revoke", "which key?"],
    ["users", "users: add, list, groups, passwd or setup-link?"],
    ["users bogus", 'there is no command "users bogus"'],
    ["users add", "--email is required"],
    ["users add --email nonsense", "email: must be an e-mail address"],
    ["users passwd --email nobody@example.org", "there is no such user"],
    ["models extra", 'unexpected argument "extra"'],
    ["models --port x", "--port: must be a whole number"],
    ["doctor extra", 'unexpected argument "extra"'],
    ["doctor --repiar", "unknown option --repiar; did you mean --repair?"],
    ["backup", "one FILE is required"],
    ["restore", "one FILE is required"],
    ["verify a b", "one FILE is required"],
    ["reindex --warning low_confidence", "--warning must be one of"],
    ["packs", "add, list, remove or verify"],
    ["packs add a b", "one FILE is required"],
    ["reindex extra", 'unexpected argument "extra"'],
    ["reindex --model nope", 'there is no embedding model "nope"'],
    ["eval", "one FILE is required"],
    ["eval questions.jsonl", 'line 1: names "none.txt", which is not a file of the library'],
    ["eval questions.jsonl --workspace typo", 'there is no workspace "typo"'],
    ["eval file", "line 1: is not JSON"],
    ["settings extra", 'unexpected argument "extra"'],
    ["licenses --bogus", "unknown option --bogus"],
    ["version extra", 'unexpected argument "extra"'],
    ["serve extra", 'unexpected argument "extra"'],
    ["serve --bogus", "unknown option --bogus"],
    ["serve --prot 80", "unknown option --prot; did you mean --port?"],
  ])("%s is wrong usage", async (line, message) => {
    const { code, err } = await fails(line, { data: at("data") })
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})

describe("files that are not what they should be", () => {
  test.each([
    ["restore cut.tar", "cut.tar is not a backup, or it is truncated or damaged"],
    ["restore stub.tar", "stub.tar is not a backup, or it is truncated or damaged"],
    ["restore cut-at-end.tar", "cut-at-end.tar is "],
    ["restore changed.tar", "changed.tar is damaged"],
    ["restore noise.tar", "noise.tar is not a backup, or it is truncated or damaged"],
    ["restore none.tar", "there is no file"],
    ["restore folder", "folder is not a file"],
    ["restore /dev/zero", "/dev/zero is not a file"],
  ])("%s, and verify, leave nothing behind", async (line, message) => {
    const target = at("deep", "target")
    const restored = await fails(line, { data: target })
    expect([restored.code, restored.err]).toEqual([1, expect.stringContaining(message)])
    expect(existsSync(at("deep"))).toBe(false)
    const verified = await fails(line.replace("restore", "verify"))
    expect([verified.code, verified.err]).toEqual([1, expect.stringContaining(message)])
  })

  test.each([
    ["restore whole.tar --data data", "data is not empty"],
    ["restore whole.tar --data file", "file is not a directory"],
    ["restore whole.tar --data file/below", "file is not a directory"],
    ["backup none/b.tar --data data", "there is no folder"],
    ["backup whole.tar --data data", "whole.tar already exists"],
    ["backup folder --data data", "folder is a folder"],
    ["backup file/b.tar --data data", "file is not a folder"],
    ["eval none.jsonl --data data", "none.jsonl does not exist"],
    ["eval folder --data data", "folder is a directory"],
  ])("%s is said", async (line, message) => {
    const { code, err } = await fails(line)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  })
})

const COMMANDS = [
  "keys list",
  "keys create --name second",
  "keys revoke none",
  "users list",
  "users add --email a@example.org",
  "users passwd --email a@example.org",
  "users setup-link",
  "backup new.tar",
  "reindex",
  "reindex --model nope",
  "eval questions.jsonl",
  "doctor --repair",
  "serve --port 0",
]

describe.each(COMMANDS)("%s", command => {
  test("on a data directory that is a file says so", async () => {
    const { code, err } = await fails(command, { data: at("file") })
    expect([code, err]).toEqual([1, `carrel: ${at("file")} is not a directory\n  → name another with --data\n`])
  })

  test("on the directory of a newer version says so and changes nothing", async () => {
    const { code, err } = await fails(command, { data: at("newer") })
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("was written by a newer version of Carrel (it has the migration 9999-next)\n  → "),
    ])
    expect(existsSync(at("new.tar"))).toBe(false)
  })

  test("on a database that is damaged says so", async () => {
    const { code, err } = await fails(command, { data: at("noise") })
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("carrel: the database is damaged\n  → stop the daemon and"),
    ])
  })

  const unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
  const canBeNobody = process.getuid?.() === 0 && Bun.spawnSync([...unprivileged, "true"]).exitCode === 0
  test.skipIf(!canBeNobody)("without permission says whose directory it is", async () => {
    const { code, err } = await fails(command, { data: at("data"), under: unprivileged })
    expect([code, err]).toEqual([
      1,
      `carrel: this user has no permission for ${at("data")} (EACCES)\n  → it belongs to root: run the command as that user\n`,
    ])
    cpSync(at("data"), at("open"), { recursive: true, filter: isSmall })
    chmodSync(at("open"), 0o755)
    const open = await fails(command, { data: at("open"), under: unprivileged })
    expect([open.code, open.err]).toEqual([1, expect.stringContaining("(EACCES)\n  → ")])
  })
})

const readOnly = mkdtempSync(join(tmpdir(), "carrel-read-only-"))
const isReadOnly = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", readOnly]).exitCode === 0
describe.skipIf(!isReadOnly)("on a read-only disk", () => {
  beforeAll(() => {
    cpSync(at("data"), join(readOnly, "data"), { recursive: true, filter: isSmall })
    Bun.spawnSync(["mount", "-o", "remount,ro", readOnly])
  })
  afterAll(async () => {
    await unmount(readOnly)
    rmSync(readOnly, { recursive: true, force: true })
  })

  test.each([
    "keys list",
    "users list",
    "users setup-link",
    "backup new.tar",
    "reindex",
    "doctor --repair",
    "serve --port 0",
  ])("%s says so of an existing directory", async line => {
    const { code, err } = await fails(line, { data: join(readOnly, "data") })
    expect([code, err]).toEqual([1, expect.stringContaining("(EROFS)\n  → ")])
  })

  test.each(["keys create --name x", "restore whole.tar", "serve --port 0"])("%s says so of a new one", async line => {
    const { code, err } = await fails(line, { data: join(readOnly, "new") })
    expect([code, err]).toEqual([1, expect.stringContaining("(EROFS)\n  → ")])
  })
})

const disk = mkdtempSync(join(tmpdir(), "carrel-full-"))
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]).exitCode === 0
if (!mounted) console.log("skipped: a tmpfs cannot be mounted here, which takes root")
describe.skipIf(!mounted)("on a full disk", () => {
  beforeAll(() => {
    cpSync(at("data"), join(disk, "data"), { recursive: true, filter: isSmall })
    try {
      writeFileSync(join(disk, "ballast"), new Uint8Array(8_000_000))
    } catch {
      // what fits is there
    }
  })
  afterAll(async () => {
    await unmount(disk)
    rmSync(disk, { recursive: true, force: true })
  })

  test.each(["keys create --name x", "users add --email a@example.org", "serve --port 0", "restore whole.tar"])(
    "%s leaves no new directory behind",
    async line => {
      const { code, err } = await fails(line, { data: join(disk, "new") })
      expect([code, err]).toEqual([1, expect.stringContaining("there is no space left")])
      expect(readdirSync(disk).sort()).toEqual(["ballast", "data"])
    },
  )

  test.each(["keys create --name x", "users list", "reindex", "backup new.tar", "serve --port 0"])(
    "%s says so on an existing directory",
    async line => {
      const { code, err } = await fails(line, { data: join(disk, "data") })
      expect([code, err]).toEqual([1, expect.stringContaining("there is no space left")])
    },
  )

  test("a backup to it leaves nothing there", async () => {
    const { code, err } = await fails(`backup ${join(disk, "b.tar")}`, { data: at("data") })
    expect([code, err]).toEqual([1, expect.stringContaining(`there is no space left to write ${join(disk, "b.tar")}`)])
    expect(readdirSync(disk).sort()).toEqual(["ballast", "data"])
  })
})
