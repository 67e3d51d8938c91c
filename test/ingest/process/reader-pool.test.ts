import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diskTrouble } from "../../../src/errors.ts"
import type { ReadDocument } from "../../../src/ingest/process/protocol.ts"
import { ReaderPool, type ReaderPoolOptions } from "../../../src/ingest/process/reader-pool.ts"
import { scratchFile } from "../../../src/storage/blobs/scratch.ts"
import type { ExtractionError, TextChunk } from "../../../src/storage/document.ts"
import { unmount } from "../../support/trouble.ts"
import { until } from "../../support/until.ts"
import { enclosingZeros } from "../formats/pdf-writer.ts"
import { writeZip } from "../formats/zip-writer.ts"

const SOURCE = join(import.meta.dir, "../../../src")
const disk = mkdtempSync(join(tmpdir(), "carrel-disk-"))
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]).exitCode === 0
if (!mounted) console.log("skipped: a tmpfs cannot be mounted here, which takes root")
afterAll(async () => {
  if (mounted) await unmount(disk)
  rmSync(disk, { recursive: true, force: true })
})

const pools: ReaderPool[] = []
const directories: string[] = []

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "carrel-reader-"))
  directories.push(directory)
  return directory
}

function poolOf(options: Partial<ReaderPoolOptions> = {}): ReaderPool & { directory: string } {
  const directory = temporary()
  mkdirSync(join(directory, "results"))
  const made = new ReaderPool({
    size: 2,
    memoryLimitBytes: 1_000_000_000,
    makeFile: () => scratchFile(join(directory, "results")),
    ...options,
  })
  pools.push(made)
  return Object.assign(made, { directory })
}

/** A reader of our own without the fence, which tells its process id in the file `pids`, then does as `body` says. */
function fakeReader(body: string): { command: string[]; pids: () => number[] } {
  const directory = temporary()
  const script = join(directory, "reader.ts")
  const started = join(directory, "pids")
  writeFileSync(started, "")
  writeFileSync(
    script,
    `import { appendFileSync, writeSync } from "node:fs"
     import { serveParent } from ${JSON.stringify(join(SOURCE, "threads/child-side.ts"))}
     appendFileSync(${JSON.stringify(started)}, process.pid + "\\n")
     let count = 0
     const outline = { pageCount: null, ocrPageCount: 0, warnings: [], characterCount: 7, chunkCount: 0 }
     await serveParent(undefined, async (request, { files, tell }) => {
       const done = () => { writeSync(files[1], "pid " + process.pid); return { kind: "done", outline } }
       count++
       ${body}
     })`,
  )
  const pids = () => require("node:fs").readFileSync(started, "utf8").split("\n").filter(Boolean).map(Number)
  return { command: [process.execPath, script], pids }
}

function file(
  directory: string,
  name = "a.txt",
  content = "The ficus.",
): { path: string; name: string; type: string; size: number } {
  const path = join(directory, name)
  writeFileSync(path, content)
  return { path, name, type: name.split(".").at(-1)!, size: content.length }
}

const unheard = () => {}
const never = new AbortController().signal
const textOf = async (document: ReadDocument) => await Bun.file(document.textPath).text()
const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error: ExtractionError) => error.code ?? error.message,
  )

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.stop()))
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

describe.skipIf(!mounted)("a disk that takes no more text", () => {
  const line = "The heron counts the boats of the harbour.\n"
  const good = line.repeat(40_000) // 1.7 MB
  const cases = {
    "a text": { name: "a.txt", content: good },
    "a member of an archive": {
      name: "a.zip",
      content: writeZip([
        { name: "small.txt", content: line },
        { name: "large.txt", content: good },
      ]),
    },
  }
  for (const [what, { name, content }] of Object.entries(cases))
    test(`is told as such, and is no damage of ${what}`, async () => {
      const pool = poolOf({ makeFile: () => scratchFile(disk) })
      const path = join(pool.directory, name)
      writeFileSync(path, content)
      const read = () => pool.read({ path, name, type: name.slice(2), size: content.length }, unheard, never)
      writeFileSync(join(disk, "ballast"), new Uint8Array(7 * 2 ** 20))
      const error = await read().then(
        () => new Error("it was read"),
        (error: Error) => error,
      )
      expect([(error as { code?: string }).code, diskTrouble(error)]).toEqual(["ENOSPC", "full"])
      rmSync(join(disk, "ballast"))
      const document = await read()
      expect(document.warnings).toEqual([])
      expect(document.characterCount).toBeGreaterThanOrEqual(good.trimEnd().length)
      await document.close()
    })
})

describe("a file is read in a process of its own", () => {
  test("with text, chunks and places as the reader found them, until the result is closed", async () => {
    const pool = poolOf({ chunkOptions: { targetChars: 20, overlapChars: 0 } })
    const text = "# Ficus 😀\n\nIt stands – here.\n\nThe other one.\n"
    const document = await pool.read(file(pool.directory, "a.md", text), unheard, never)
    expect(document).toMatchObject({ pageCount: null, ocrPageCount: 0, warnings: [], characterCount: text.length })
    expect(await textOf(document)).toBe(text)
    expect(document.chunks).toMatchObject({ count: 2, opening: text })
    const place = expect.objectContaining({ section: "Ficus 😀" })
    expect(await chunksOf(document)).toEqual([
      { start: 0, end: 29, place, text: "# Ficus 😀\n\nIt stands – here." },
      { start: 31, end: 45, place, context: "Ficus 😀", text: "The other one." },
    ])
    await document.close()
    expect(readdirSync(join(pool.directory, "results"))).toEqual([])
  })

  test("and no reader that saw a workspace's file sees another workspace's", async () => {
    const pool = poolOf({ size: 1 })
    const readers: Record<string, number[]> = {}
    for (const workspaceId of ["one", "one", "two", "one"]) {
      const source = { ...file(pool.directory, `${workspaceId}.txt`, "A note."), workspaceId }
      await (await pool.read(source, unheard, never)).close()
      readers[workspaceId] = [...(readers[workspaceId] ?? []), ...pool.pids]
    }
    const [first, second, third] = readers.one!
    expect(second).toBe(first!)
    expect(readers.two).toHaveLength(1)
    expect([first, second]).not.toContain(readers.two![0])
    expect(third).not.toBe(readers.two![0])
  })

  test("and what is wrong with it comes out as its code", async () => {
    const pool = poolOf()
    expect(await codeOf(pool.read(file(pool.directory, "a.docx", "no document"), unheard, never))).toBe("corrupt_file")
    expect(await codeOf(pool.read(file(pool.directory, "a.txt", "  \n "), unheard, never))).toBe("no_text")
    expect(readdirSync(join(pool.directory, "results"))).toEqual([])
  })

  test("a text of 60 MB comes whole, with truthful progress", async () => {
    const pool = poolOf()
    const line = "Many lines of the same text, of which none may be lost – ever.\n"
    const seen: number[] = []
    const document = await pool.read(
      file(pool.directory, "a.txt", line.repeat(1_000_000)),
      ({ stage, progress }) => seen.push(stage === "chunking" ? 0.5 + progress / 2 : progress / 2),
      never,
    )
    const text = await textOf(document)
    expect(document.characterCount).toBe(line.length * 1_000_000)
    expect(text).toBe(line.repeat(1_000_000))
    const chunks = await chunksOf(document)
    expect(chunks).toHaveLength(document.chunks.count)
    expect(chunks.every(chunk => text.slice(chunk.start, chunk.end) === chunk.text)).toBe(true)
    expect(seen.length).toBeGreaterThan(1)
    expect([...seen].sort((a, b) => a - b)).toEqual(seen)
    expect(seen.every(progress => progress >= 0 && progress <= 1)).toBe(true)
  }, 30_000)
})

describe("a reader that misbehaves", () => {
  test("by hanging is killed when the time of its file is over, and the pool goes on", async () => {
    const { command, pids } = fakeReader(`if (request.name === "hang.txt") for (;;) {} else return done()`)
    const pool = poolOf({ command, timeoutFor: () => 300, size: 1 })
    expect(await codeOf(pool.read(file(pool.directory, "hang.txt"), unheard, never))).toBe("extraction_timeout")
    expect(isAlive(pids()[0]!)).toBe(false)
    const document = await poolRead(pool)
    expect(await textOf(document)).toBe(`pid ${pids()[1]}`)
  })

  test("gets more time for pages that are read by OCR, and not for ever", async () => {
    const { command } = fakeReader(
      `tell({ kind: "ocr_expected", count: 2 }); await Bun.sleep(request.name === "two.txt" ? 3_000 : 60_000); return done()`,
    )
    const pool = poolOf({ command, timeoutFor: () => 2_000, perOcrPageMs: 10_000 })
    expect(await codeOf(pool.read(file(pool.directory, "two.txt"), unheard, never))).toBe("read")
    const short = poolOf({ command, timeoutFor: () => 100, perOcrPageMs: 100 })
    expect(await codeOf(short.read(file(short.directory, "long.txt"), unheard, never))).toBe("extraction_timeout")
  })

  test("gets no more of it than OCR of one file may take, however many pages it announces", async () => {
    const { command } = fakeReader(
      `for (let i = 0; i < 50; i++) tell({ kind: "ocr_expected", count: 1000 }); await Bun.sleep(60_000); return done()`,
    )
    const ocrLimits = { pages: 1000, seconds: 0.5 }
    const pool = poolOf({ command, timeoutFor: () => 200, perOcrPageMs: 100, ocrLimits })
    expect(await codeOf(pool.read(file(pool.directory), unheard, never))).toBe("extraction_timeout")
  }, 20_000)

  test("by taking memory is killed at the limit", async () => {
    const { command, pids } = fakeReader(
      `const kept = []; for (;;) { kept.push(new Uint8Array(20_000_000).fill(1)); await Bun.sleep(5) }`,
    )
    const pool = poolOf({ command, memoryLimitBytes: 300_000_000 })
    expect(await codeOf(pool.read(file(pool.directory), unheard, never))).toBe("corrupt_file")
    expect(isAlive(pids()[0]!)).toBe(false)
  }, 20_000)

  test("by taking memory for what is attached to a PDF leaves that out, and the PDF's own text is read", async () => {
    const pool = poolOf({ memoryLimitBytes: 300_000_000 })
    const path = join(pool.directory, "a.pdf")
    const bytes = enclosingZeros(["The tenant waters the ficus."], 200_000_000)
    writeFileSync(path, bytes)
    const document = await pool.read({ path, name: "a.pdf", type: "pdf", size: bytes.length }, unheard, never)
    expect(await textOf(document)).toBe("The tenant waters the ficus.")
    expect(document.pageCount).toBe(1)
    expect(document.warnings).toEqual([
      { code: "attachment_skipped", message: "the files inside of the PDF take more memory than is allowed" },
    ])
  }, 30_000)

  test("by crashing at what is attached is asked once more, without it", async () => {
    const { command, pids } = fakeReader(
      `tell({ kind: "attachments_next" }); if (request.withoutAttachments !== true || request.name === "bad.pdf") process.exit(3); return done()`,
    )
    const pool = poolOf({ command, size: 1 })
    expect(await textOf(await pool.read(file(pool.directory, "a.pdf"), unheard, never))).toBe(`pid ${pids()[1]}`)
    expect(await codeOf(pool.read(file(pool.directory, "bad.pdf"), unheard, never))).toBe("corrupt_file")
  }, 20_000)

  test("by crashing on a file makes that file corrupt, when a fresh one crashes too", async () => {
    const { command, pids } = fakeReader(
      `if (request.name === "crash.txt") (await import("bun:ffi")).read.u8(8); else return done()`,
    )
    const pool = poolOf({ command, size: 1 })
    await poolRead(pool)
    expect(await codeOf(pool.read(file(pool.directory, "crash.txt"), unheard, never))).toBe("corrupt_file")
    expect(pids()).toHaveLength(2)
  })

  test("by crashing for what it read before costs no file", async () => {
    const { command } = fakeReader(`if (count === 2) process.exit(3); else return done()`)
    const pool = poolOf({ command, size: 1 })
    for (let i = 0; i < 5; i++) await poolRead(pool)
  })
})

describe("readers come and go", () => {
  test("at most as many as allowed, and each file gets its turn", async () => {
    const { command, pids } = fakeReader(`await Bun.sleep(50); return done()`)
    const pool = poolOf({ command, size: 2 })
    await Promise.all(Array.from({ length: 9 }, () => poolRead(pool)))
    expect(pids()).toHaveLength(2)
  })

  test("a new one after a number of files", async () => {
    const { command, pids } = fakeReader("return done()")
    const pool = poolOf({ command, size: 1, filesPerReader: 2 })
    for (let i = 0; i < 5; i++) await poolRead(pool)
    expect(pids()).toHaveLength(3)
  })

  test("none before the first file, none when idle for long, none after stop", async () => {
    const { command, pids } = fakeReader("return done()")
    const pool = poolOf({ command, keepWarmMs: 100 })
    expect(pids()).toHaveLength(0)
    await poolRead(pool)
    expect(isAlive(pids()[0]!)).toBe(true)
    await until(() => !isAlive(pids()[0]!))
    await poolRead(pool)
    await pool.stop()
    expect(pids().some(isAlive)).toBe(false)
    expect(await codeOf(poolRead(pool))).toBe("internal_error")
  })

  test("an aborted read ends its reader and gives its turn on", async () => {
    const { command, pids } = fakeReader(`if (request.name === "slow.txt") await Bun.sleep(60_000); return done()`)
    const pool = poolOf({ command, size: 1 })
    const abort = new AbortController()
    const slow = pool.read(file(pool.directory, "slow.txt"), unheard, abort.signal)
    const waiting = new AbortController()
    const given = pool.read(file(pool.directory, "b.txt"), unheard, waiting.signal)
    const next = poolRead(pool)
    waiting.abort(new Error("not wanted any more"))
    expect(await codeOf(given)).toBe("not wanted any more")
    await until(() => pids().length === 1)
    abort.abort(new Error("stopped"))
    expect(await codeOf(slow)).toBe("stopped")
    expect(isAlive(pids()[0]!)).toBe(false)
    expect(await textOf(await next)).toBe(`pid ${pids()[1]}`)
  })

  test("memory that earlier files left in a reader is not held against the next", async () => {
    const { command, pids } = fakeReader(
      `globalThis.kept ??= []
       kept.push(Buffer.alloc(250_000_000, 1))
       await Bun.sleep(400)
       return done()`,
    )
    const pool = poolOf({ command, size: 1, memoryLimitBytes: 420_000_000 })
    expect(await textOf(await poolRead(pool))).toBe(`pid ${pids()[0]}`)
    expect(await textOf(await poolRead(pool))).toBe(`pid ${pids()[1]}`)
    const greedy = fakeReader("globalThis.kept = Buffer.alloc(700_000_000, 1); await Bun.sleep(5000); return done()")
    expect(await codeOf(poolRead(poolOf({ command: greedy.command, memoryLimitBytes: 420_000_000 })))).toBe(
      "corrupt_file",
    )
    expect(greedy.pids()).toHaveLength(1)
  }, 20_000)

  test("a read that was given up before it began fails for its caller, and leaves no error that nobody waits for", async () => {
    const { command } = fakeReader("return done()")
    const pool = poolOf({ command })
    const given = pool.read(file(pool.directory), unheard, AbortSignal.abort(new Error("too late")))
    expect(await codeOf(given)).toBe("too late")
    await Bun.sleep(50) // an error without a taker fails the test
    expect(await textOf(await poolRead(pool))).toStartWith("pid ")
  })

  test("a reader does not outlive its parent, even while it hangs", async () => {
    const directory = temporary()
    const script = join(directory, "parent.ts")
    const path = file(directory, "a.txt", "Words.").path
    writeFileSync(
      script,
      `import { ReaderPool } from ${JSON.stringify(join(SOURCE, "ingest/process/reader-pool.ts"))}
       import { scratchFile } from ${JSON.stringify(join(SOURCE, "storage/blobs/scratch.ts"))}
       const pool = new ReaderPool({ size: 1, memoryLimitBytes: 1e9, makeFile: () => scratchFile(${JSON.stringify(directory)}) })
       await pool.read({ path: ${JSON.stringify(path)}, name: "a.txt", type: "txt", size: 6 }, () => {}, new AbortController().signal)
       const [pid] = pool.pids
       process.kill(pid, "SIGSTOP")
       console.log(pid)
       setInterval(() => {}, 1000)`,
    )
    const parent = Bun.spawn([process.execPath, script], { stdout: "pipe" })
    const { value } = await parent.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    expect(isAlive(pid)).toBe(true)
    parent.kill("SIGKILL")
    await parent.exited
    await until(() => !isAlive(pid))
  }, 20_000)
})

async function chunksOf(document: ReadDocument): Promise<TextChunk[]> {
  const chunks: TextChunk[] = []
  for await (const batch of document.chunks.batches(3)) chunks.push(...batch)
  return chunks
}

function poolRead(pool: ReaderPool & { directory: string }) {
  return pool.read(file(pool.directory), unheard, never)
}
