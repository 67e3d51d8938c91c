/** What a folder may hold that is no plain file: odd names, links, pipes, files that change; and what lies outside of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Connector, type ConnectorParts, Emptied, type Entry, Outage } from "../../src/sources/connector.ts"
import { folderSource } from "../../src/sources/connectors/folder.ts"
import { Fields } from "../../src/sources/fields.ts"
import { rejection } from "../support/rejection.ts"

let base = ""
let root = ""
let folder = ""
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "carrel-folder-")))
  root = join(base, "root")
  folder = join(root, "folder")
  mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const signal = new AbortController().signal
const parts = () => ({ sourceRoots: [root] }) as unknown as ConnectorParts
const open = (path = folder, more: object = {}): Connector =>
  folderSource.open!({
    config: folderSource.config(new Fields("config", { path, ...more })),
    credentials: null,
    parts: parts(),
  })
const admit = (path: string) => folderSource.admit!(folderSource.config(new Fields("config", { path })), parts())

async function list(connector = open()): Promise<Entry[]> {
  const entries = await Array.fromAsync(connector.list(signal))
  return entries.sort((one, other) => (one.key < other.key ? -1 : 1))
}
const keys = async (connector = open()) => (await list(connector)).map(({ key }) => key)
async function read(key: string, connector = open()): Promise<string | undefined> {
  const content = await connector.read({ key, fingerprint: "" }, signal)
  return content && Buffer.concat(await Array.fromAsync(content.bytes)).toString()
}
const put = (name: string, text = name) => writeFileSync(join(folder, name), text)
const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map(part => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))))

/** Program that lets two names change places without end, faster than anybody looks. */
const SWAPPING = `
  import { dlopen } from "bun:ffi"
  const { symbols } = dlopen("libc.so.6", { renameat2: { args: ["int", "cstring", "int", "cstring", "u32"], returns: "int" } })
  const [one, other] = process.argv.slice(-2).map(path => Buffer.from(path + "\\0"))
  const [HERE, EXCHANGE] = [-100, 2]
  for (;;) {
    symbols.renameat2(HERE, one, HERE, other, EXCHANGE)
    for (const until = performance.now() + 0.05; performance.now() < until; );
  }
`

describe("names", () => {
  test("of every script and with odd signs lead back to their files", async () => {
    const names = [
      "grün.txt",
      "дом.txt",
      "家.txt",
      "a b%20.txt",
      "tab\there.txt",
      "new\nline.txt",
      "back\\slash.txt",
      "🦉.txt",
      "x\\xFF.txt",
    ]
    for (const name of names) put(name)
    const found = await list()
    expect(found.length).toBe(names.length)
    for (const { key } of found) expect(names).toContain((await read(key))!)
    expect(found.find(({ key }) => key === "back\\\\slash.txt")?.name).toBe("back_slash.txt")
  })

  test("that are no UTF-8 are told apart and read", async () => {
    const odd = (byte: number) => bytes(`${folder}/caf`, byte, ".txt")
    writeFileSync(odd(0xe9), "latin")
    writeFileSync(odd(0xff), "other")
    mkdirSync(bytes(`${folder}/d`, 0xfe))
    writeFileSync(bytes(`${folder}/d`, 0xfe, "/in.txt"), "inside")
    put("caf\uFFFD.txt", "the sign itself")
    const found = await list()
    expect(found.map(({ key }) => key)).toEqual(["caf\\xE9.txt", "caf\\xFF.txt", "caf\uFFFD.txt", "d\\xFE/in.txt"])
    expect(found.map(({ name }) => name)).toEqual(["caf\uFFFD.txt", "caf\uFFFD.txt", "caf\uFFFD.txt", "in.txt"])
    expect(await Promise.all(found.map(({ key }) => read(key)))).toEqual([
      "latin",
      "other",
      "the sign itself",
      "inside",
    ])
  })

  test("of hidden files and leftovers are left out, unless they are asked for", async () => {
    for (const name of [".env", "~$plan.docx", "x.tmp", "Thumbs.db", "y.txt~", "z.crdownload", "note.txt"]) put(name)
    for (const name of [".git", "node_modules"]) {
      mkdirSync(join(folder, name))
      put(`${name}/in.txt`)
    }
    expect(await keys()).toEqual(["note.txt"])
    expect((await keys(open(folder, { hidden: true }))).length).toBe(9)
  })
})

describe("links", () => {
  test("that lead in circles, nowhere or into the folder itself are left out", async () => {
    put("a.txt")
    mkdirSync(join(folder, "deep"))
    put("deep/b.txt")
    symlinkSync(folder, join(folder, "deep/loop"))
    symlinkSync("self", join(folder, "self"))
    symlinkSync("missing", join(folder, "dangling"))
    symlinkSync("a.txt", join(folder, "again.txt"))
    symlinkSync("deep", join(folder, "deep-again"))
    expect(await keys()).toEqual(["a.txt", "deep/b.txt"])
  })

  test("to what lies elsewhere below the root are followed, once", async () => {
    const elsewhere = join(root, "elsewhere")
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, "c.txt"), "c")
    symlinkSync(elsewhere, join(elsewhere, "loop"))
    symlinkSync(elsewhere, join(folder, "link"))
    symlinkSync(elsewhere, join(folder, "link-2"))
    symlinkSync(join(elsewhere, "c.txt"), join(folder, "d.txt"))
    put("a.txt")
    expect(await keys()).toEqual(["a.txt", "d.txt", "link/c.txt"])
    expect(await read("link/c.txt")).toBe("c")
    expect(await read("d.txt")).toBe("c")
  })

  test("out of the root tell nothing and are not read", async () => {
    const outside = join(base, "outside")
    mkdirSync(outside)
    writeFileSync(join(outside, "secret.txt"), "secret")
    put("a.txt")
    symlinkSync(outside, join(folder, "out"))
    symlinkSync(join(outside, "secret.txt"), join(folder, "secret.txt"))
    expect(await keys()).toEqual(["a.txt"])
    for (const key of ["secret.txt", "out/secret.txt"])
      expect((await rejection(read(key))).message).toContain("outside")
    for (const key of ["../../outside/secret.txt", "x/../../../outside/secret.txt", "/etc/passwd", "."])
      expect((await rejection(read(key))).message).toContain("no path")
  })

  test("that replace a file, or a folder on the way, after it was listed do not lead out", async () => {
    mkdirSync(join(folder, "deep"))
    put("deep/a.txt")
    const connector = open()
    expect(await keys(connector)).toEqual(["deep/a.txt"])
    const outside = join(base, "outside")
    mkdirSync(outside)
    writeFileSync(join(outside, "a.txt"), "secret")
    rmSync(join(folder, "deep"), { recursive: true })
    symlinkSync(outside, join(folder, "deep"))
    expect((await rejection(read("deep/a.txt", connector))).message).toContain("outside")
    renameSync(folder, `${folder}-away`)
    symlinkSync(outside, folder)
    expect((await rejection(list(connector))).message).toContain("below no folder")
  })

  test("that come and go while files are listed and read never lead out", async () => {
    const [deep, link] = [join(folder, "deep"), join(folder, "link")]
    const outside = join(base, "outside")
    for (const each of [deep, outside]) mkdirSync(each)
    put("deep/a.txt", "inside")
    writeFileSync(join(outside, "a.txt"), "secret")
    writeFileSync(join(outside, "b.txt"), "secret")
    symlinkSync(outside, link)
    const swapping = Bun.spawn([process.execPath, "-e", SWAPPING, deep, link])
    try {
      const told = new Set<string | undefined>()
      for (let round = 0; round < 1_000; round++) {
        told.add(await read("deep/a.txt").catch(() => undefined))
        for (const key of await keys().catch(() => [])) told.add(key)
      }
      expect(told).toContain("inside")
      expect(told).not.toContain("secret")
      expect(told).not.toContain("deep/b.txt")
    } finally {
      swapping.kill()
      await swapping.exited
    }
  })

  test("a source lies below a root, whatever its path says", async () => {
    await admit(folder)
    symlinkSync(folder, join(root, "good"))
    await admit(join(root, "good"))
    symlinkSync(base, join(root, "bad"))
    mkdirSync(join(base, "root-beside"))
    for (const path of [
      "/etc",
      base,
      join(root, ".."),
      join(root, "bad"),
      join(base, "root-beside"),
      join(base, "none"),
    ])
      expect(await rejection(admit(path))).toMatchObject({ code: "forbidden" })
    expect(await rejection(admit(join(root, "none")))).toMatchObject({ code: "invalid_request" })
    expect(() => folderSource.config(new Fields("config", { path: "relative" }))).toThrow("absolute")
  })
})

describe("what is there", () => {
  test("a pipe is neither listed nor waited for", async () => {
    put("a.txt")
    Bun.spawnSync(["mkfifo", join(folder, "pipe.txt")])
    expect(await keys()).toEqual(["a.txt"])
    expect((await rejection(read("pipe.txt"))).message).toContain("no file")
  })

  test("a folder that is missing, no folder or empty is an outage", async () => {
    expect(await rejection(list())).toBeInstanceOf(Emptied)
    rmSync(folder, { recursive: true })
    expect(await rejection(list())).toBeInstanceOf(Outage)
    writeFileSync(folder, "a file")
    expect(await rejection(list())).toBeInstanceOf(Outage)
  })

  test("an outage names the folder that cannot be read", async () => {
    const name = "d".repeat(250)
    let path = folder
    for (; path.length < 3_800; path = join(path, name)) mkdirSync(join(path, name))
    const inner = join(path.slice(0, -name.length - 1), "e".repeat(250))
    renameSync(path, inner)
    Bun.spawnSync(["bash", "-c", `cd ${inner} && mkdir ${name} && cd ${name} && mkdir ${name}`])
    const error = await rejection(list())
    expect(error).toBeInstanceOf(Outage)
    expect(error.message).toContain(`the folder ${name}/`)
    expect(error.message).toContain("(ENAMETOOLONG)")
  })

  test("a folder with nothing but empty folders is an empty listing", async () => {
    mkdirSync(join(folder, "empty"))
    expect(await list()).toEqual([])
  })

  test("a file that is gone when it is read is no failure", async () => {
    put("a.txt")
    const [entry] = await list()
    rmSync(join(folder, "a.txt"))
    expect(await open().read(entry!, signal)).toBeUndefined()
  })

  test("the fingerprint changes with the content, also where size and time of change are the same", async () => {
    put("a.txt", "one")
    const time = new Date("2026-01-01")
    utimesSync(join(folder, "a.txt"), time, time)
    const [before] = await list()
    expect((await list())[0]).toEqual(before!)
    await Bun.sleep(20)
    put("a.txt", "two")
    utimesSync(join(folder, "a.txt"), time, time)
    expect((await list())[0]!.fingerprint).not.toBe(before!.fingerprint)
  })

  test("a file that changes while it is read is read again, and taken in the end", async () => {
    put("a.log", "x".repeat(600_000))
    const connector = open()
    const grow = async () => {
      const content = (await connector.read({ key: "a.log", fingerprint: "" }, signal))!
      for await (const _ of content.bytes) appendFileSync(join(folder, "a.log"), "more")
    }
    for (let i = 0; i < 2; i++) expect((await rejection(grow())).message).toContain("changed while")
    await grow()
    // What was taken is what was there before it changed: the next listing sees the difference.
    const content = (await connector.read({ key: "a.log", fingerprint: "" }, signal))!
    await Array.fromAsync(content.bytes)
    expect((await list())[0]!.fingerprint).toBe(content.fingerprint!)
  })

  test("files that are left unread are closed", async () => {
    put("a.txt", "x".repeat(600_000))
    const count = () => readdirSync("/proc/self/fd").length
    const before = count()
    for (let i = 0; i < 20; i++) {
      const content = (await open().read({ key: "a.txt", fingerprint: "" }, signal))!
      for await (const _ of content.bytes) break
    }
    expect(count()).toBeLessThan(before + 10)
  })
})
