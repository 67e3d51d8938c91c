/** The progress of long commands, on a screen of its own and through a real terminal. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Progress, type Screen, withProgress } from "../../src/commands/progress.ts"
import { COMMAND } from "../support/daemon.ts"
import { carrel } from "./carrel.ts"

function screen(terminal: Pick<Screen, "isTTY" | "columns"> = {}): Screen & { written: string[] } {
  const written: string[] = []
  return { ...terminal, written, write: text => void written.push(text) }
}

async function work(progress: Progress, seconds: number): Promise<void> {
  const steps = seconds * 20
  for (let i = 1; i <= steps; i++) {
    progress.update(i * 1e6, steps * 1e6)
    await Bun.sleep(50)
  }
}

describe("a command's progress", () => {
  test("is not shown for work of less than a second", async () => {
    const terminal = screen({ isTTY: true, columns: 80 })
    await withProgress("Copying", progress => work(progress, 0.5), terminal)
    expect(terminal.written).toEqual([])
  })

  test("is a bar on a terminal that grows in one line and is gone at the end", async () => {
    const terminal = screen({ isTTY: true, columns: 100 })
    await withProgress("Copying", progress => work(progress, 2), terminal)
    const frames = terminal.written.slice(0, -1)
    expect(frames.length).toBeGreaterThan(3)
    for (const frame of frames) {
      expect(frame).toMatch(/^\rCopying {2}\[#*\.*\] {2}\d+ % {2}\d+\.0 MB of 40\.0 MB(?: {2}\d+:\d\d left)?\x1b\[K$/)
    }
    expect(terminal.written.at(-1)).toBe("\r\x1b[K")
  })

  test.each([60, 40, 20, 5, 1, 0])("never leaves a line of %d columns", async columns => {
    const terminal = screen({ isTTY: true, columns })
    await withProgress("Unpacking libraries and models", progress => work(progress, 1.3), terminal)
    const widths = terminal.written.map(text => text.replace(/\x1b\[K|\r/g, "").length)
    expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(1, (columns || 80) - 1))
    expect(widths.some(width => width > 0)).toBe(true)
  })

  test("is a plain line now and then where there is no terminal", async () => {
    const pipe = screen()
    await withProgress("Copying", progress => work(progress, 1.6), pipe)
    expect(pipe.written).toEqual([expect.stringMatching(/^Copying {2}\d+ % {2}\d+\.0 MB of 32\.0 MB\n$/)])
  })

  test("of a part takes the place of the whole, which comes back", async () => {
    const terminal = screen({ isTTY: true, columns: 80 })
    const part = () => withProgress("Part", progress => work(progress, 1.3), terminal)
    await withProgress(
      "Whole",
      async progress => {
        await work(progress, 1.3)
        await part()
        await work(progress, 0.3)
      },
      terminal,
    )
    const labels = terminal.written.map(text => /Part|Whole/.exec(text)?.[0] ?? "-")
    expect(labels.filter((label, i) => label !== labels[i - 1])).toEqual(["Whole", "-", "Part", "-", "Whole", "-"])
  })

  test("goes away when the work fails", async () => {
    const terminal = screen({ isTTY: true, columns: 80 })
    const failing = withProgress(
      "Copying",
      async progress => {
        await work(progress, 1.3)
        throw new Error("no")
      },
      terminal,
    )
    expect(await failing.catch(error => error.message)).toBe("no")
    expect(terminal.written.at(-1)).toBe("\r\x1b[K")
  })
})

/** A backup that takes some seconds to read through: many files of a size that the disk must not matter for. */
const SIZE = 1_500_000_000

describe.skipIf(!Bun.which("script"))("through a real terminal", () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "carrel-progress-"))
    await makeBackup(join(folder, "big.tar"))
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const verify = ["verify", "big.tar"]

  test("the bar stands in the terminal, and the answer after it", async () => {
    const { out, code } = await inTerminal(verify, {})
    expect(code).toBe(1)
    expect(out).toMatch(/\rVerifying {2}\[#*\.*\] {2}\d+ % /)
    expect(out).toMatch(/\r\x1b\[Kcarrel: .*big\.tar is truncated: its list of contents is missing\r\n/)
  }, 60_000)

  test("nothing is written over on a terminal that cannot", async () => {
    const { out } = await inTerminal(verify, { TERM: "dumb" })
    expect(out).not.toContain("\x1b")
    expect(out).toMatch(/Verifying {2}\d+ % .*\r\n/)
  }, 60_000)

  test("lines go to standard error where there is none, and standard output holds the answer alone", async () => {
    const { out, err } = await carrel(verify, { cwd: folder })
    expect(out).toBe("")
    expect(err).toMatch(/^(?:Verifying {2}\d+ % .*\n)+carrel: /)
  }, 60_000)

  async function inTerminal(args: string[], env: Record<string, string>) {
    const line = [...COMMAND, ...args].map(word => `'${word}'`).join(" ")
    const child = Bun.spawn(["script", "-qec", line, "/dev/null"], {
      cwd: folder,
      env: { PATH: Bun.env.PATH ?? "", TERM: "xterm", ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    })
    const out = await new Response(child.stdout).text()
    return { out, code: await child.exited }
  }
})

/** One entry of a tar, its bytes a hole in the file. */
async function makeBackup(path: string): Promise<void> {
  const header = Buffer.alloc(512)
  header.write("blobs/aa/file_big", 0)
  header.write("0000600\0", 100)
  header.write(`${SIZE.toString(8).padStart(11, "0")}\0`, 124)
  header.write("00000000000\0", 136)
  header.write("        ", 148)
  header.write("0", 156)
  header.write("ustar\u000000", 257)
  header.write(
    `${[...header]
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  )
  writeFileSync(path, header)
  const { truncate } = await import("node:fs/promises")
  await truncate(path, 512 + Math.ceil(SIZE / 512) * 512 + 1024)
}
