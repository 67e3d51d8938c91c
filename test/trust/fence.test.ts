/**
 * A child process that was taken over, attacked from the inside: every attack is a system call that the real child of the
 * real daemon makes, see test/support/foreign-process.ts. The executable is attacked likewise in test/binary.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FencedChild, fencedCommand } from "../../src/threads/fenced-child.ts"
import { attack } from "../support/attacks.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { CAN_INJECT, ForeignProcess } from "../support/foreign-process.ts"
import { childOf, isAlive } from "../support/processes.ts"
import { until } from "../support/until.ts"

const never = new AbortController().signal
const limits = { timeoutMs: 20_000, memoryBytes: 500e6 }

describe.skipIf(!CAN_INJECT)("a child of the daemon that was taken over", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon()
  }, 60_000)
  afterAll(() => daemon?.remove())

  test("gets at no process, no file, no network and no further memory; and the reader goes on reading", async () => {
    await daemon.upload("first.txt", "The ficus stands in the hall.")
    const reader = await childOf(daemon.pid, "reader")
    const taken = new ForeignProcess(reader)
    try {
      expect(attack(taken, { daemon: daemon.pid, data: daemon.data, program: process.execPath })).toEqual([])
    } finally {
      taken.release()
    }
    await daemon.index("second.txt", "The palm stands in the yard.")
    expect(isAlive(reader)).toBe(true)
    expect(await (await fetch(`${daemon.url}/healthz`)).json()).toMatchObject({ status: "ok" })
  }, 60_000)

  test("cannot empty a file that it may read, also where Landlock is too old to forbid it", async () => {
    await daemon.upload("empty.txt", "The laurel stands in a pot.")
    const taken = new ForeignProcess(await childOf(daemon.pid, "reader"))
    // By the list of calls: Landlock would say EACCES.
    expect(taken.call(257, -100, "/dev/urandom", 0o1000, 0)).toBe(-1)
    expect(taken.call(2, "/dev/urandom", 0o1000, 0)).toBe(-1)
    taken.release()
  }, 30_000)

  test("ends soon when it takes shared memory beyond its limit while it rests", async () => {
    await daemon.index("rests.txt", "The cactus stands in the sun.")
    const reader = await childOf(daemon.pid, "reader")
    const taken = new ForeignProcess(reader)
    const sharedAndFilled = 0x1 | 0x20 | 0x8000
    // 0 where it was ended before all of it was filled.
    expect(taken.call(9, 0, 1_400_000_000, 3, sharedAndFilled, -1, 0)).toBeGreaterThanOrEqual(0)
    taken.release()
    const since = performance.now()
    await until(() => !isAlive(reader))
    expect(performance.now() - since).toBeLessThan(8_000) // it rests for 15 s
  }, 60_000)

  test("ends at once when it speaks in the calls of another machine", async () => {
    await daemon.upload("third.txt", "The fern stands on the stairs.")
    const reader = await childOf(daemon.pid, "reader")
    const taken = new ForeignProcess(reader)
    taken.call(0x40000000 + 39) // x32: getpid
    expect(taken.ended).toBe(true)
    taken.release()
  }, 30_000)

  test("has nothing of the daemon's: no variable, no descriptor, no capability, a session of its own", async () => {
    await daemon.upload("fourth.txt", "The ivy stands at the wall.")
    const reader = await childOf(daemon.pid, "reader")
    expect(readFileSync(`/proc/${reader}/environ`, "utf8")).toMatch(/^BUN_JSC_forceRAMSize=\d+\0$/)
    const status = readFileSync(`/proc/${reader}/status`, "utf8")
    expect(status).toMatch(/^CapEff:\t000000000000000[06]$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
    const session = readFileSync(`/proc/${reader}/stat`, "utf8").split(") ")[1]!.split(" ")[3]
    expect(Number(session)).toBe(reader)
  })

  test("ends with the daemon, also while it hangs", async () => {
    await daemon.upload("fifth.txt", "The moss lies on the roof.")
    const reader = await childOf(daemon.pid, "reader")
    process.kill(reader, "SIGSTOP")
    await daemon.kill()
    await until(() => !isAlive(reader))
    await daemon.start()
  }, 30_000)
})

describe.skipIf(!CAN_INJECT)("the attacks are real", () => {
  test("in a process without the fence most of them succeed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "carrel-fence-"))
    writeFileSync(join(folder, "carrel.db"), "kept")
    const victim = Bun.spawn(["sleep", "60"])
    const open = Bun.spawn([process.execPath, "-e", "console.log('up'); setInterval(() => {}, 1000)"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    await open.stdout.getReader().read()
    const taken = new ForeignProcess(open.pid)
    try {
      expect(taken.call(41, 1, 1, 0)).toBeGreaterThan(0) // socket
      expect(taken.call(434, victim.pid, 0)).toBeGreaterThan(0) // pidfd_open
      expect(taken.call(257, -100, join(folder, "carrel.db"), 2, 0)).toBeGreaterThan(0)
      expect(taken.call(257, -100, `/proc/${victim.pid}/environ`, 0, 0)).toBeGreaterThan(0)
      expect(taken.call(62, victim.pid, 9)).toBe(0)
      expect(await victim.exited).not.toBe(0)
    } finally {
      taken.release()
      open.kill()
      rmSync(folder, { recursive: true })
    }
  }, 20_000)
})

describe("a child", () => {
  test("is given files it cannot open itself, and answers", async () => {
    const folder = mkdtempSync(join(tmpdir(), "carrel-fence-"))
    writeFileSync(join(folder, "a.csv"), "plant,count\nficus,3\n")
    const child = new FencedChild<object, { ok: boolean }>(fencedCommand("table", { memoryBytes: 500e6 }))
    const file = openSync(join(folder, "a.csv"), "r")
    try {
      const ask = { type: "csv", sql: "select sum(count) from data", maxRows: 5, maxCharacters: 1000 }
      expect(await child.ask(ask, { limits, signal: never, files: [file] })).toMatchObject({ ok: true, rows: [[3]] })
    } finally {
      closeSync(file)
      await child.kill()
      rmSync(folder, { recursive: true })
    }
  }, 20_000)

  test("that ends while a long request is written to it costs that request, and nothing else", async () => {
    const child = new FencedChild<string, never>([process.execPath, "-e", "setTimeout(() => process.exit(3), 300)"])
    const asked = child.ask("x".repeat(20_000_000), { limits, signal: never })
    expect(await asked.catch(error => error)).toMatchObject({ reason: "died" })
    await Bun.sleep(100) // an error without a taker fails the test
  }, 20_000)

  test("that says more than a line may hold is ended, and nothing of it is kept", async () => {
    const script = `process.stdout.write('{"ready":{}}\\n'); const piece = "x".repeat(65536); for (;;) require("node:fs").writeSync(1, piece)`
    const child = new FencedChild([process.execPath, "-e", script])
    const asked = child.ask({}, { limits, signal: never })
    expect(await asked.catch(error => error)).toMatchObject({ reason: "died" })
    expect(isAlive(child.pid)).toBe(false)
  }, 20_000)
})

describe.skipIf(!Bun.which("strace"))("where the kernel lacks a part", () => {
  test.each([
    ["landlock_create_ruleset", "does not fence files"],
    ["seccomp", "does not fence system calls"],
  ])(
    "without %s the doctor says that it %s",
    async (call, said) => {
      const folder = mkdtempSync(join(tmpdir(), "carrel-fence-"))
      const without = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, `--inject=${call}:error=ENOSYS`]
      const main = join(import.meta.dir, "../../src/main.ts")
      const doctor = Bun.spawn([...without, process.execPath, main, "doctor", "--data", join(folder, "none")], {
        stdio: ["ignore", "pipe", "ignore"],
      })
      const told = await new Response(doctor.stdout).text()
      expect(await doctor.exited).toBe(1)
      expect(told).toContain("PROBLEM fence of the readers: the kernel")
      expect(told).toContain(said)
      rmSync(folder, { recursive: true })
    },
    60_000,
  )
})
