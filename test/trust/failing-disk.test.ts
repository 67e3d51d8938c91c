/**
 * A disk that fails under the daemon. An ext4 that turns read-only shows what the system does then, and a restart; a
 * tracer that lets every sync and write of the databases fail shows a disk that comes back. Each is skipped where it
 * cannot be had.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { canInject, Disk, injectInto } from "../support/trouble.ts"
import { until } from "../support/until.ts"

const LIMIT_MS = 120_000
/** The web server and event descriptors use `write`, which is therefore left alone. */
const WRITES = "pwrite64,fsync,fdatasync,ftruncate,fallocate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat"
const QUESTION = "Who counts the gulls?"

const disk = new Disk(1500) // the executable unpacks its libraries
if (!disk.mounted) console.log("skipped: an ext4 cannot be made or mounted here, which takes root and a loop device")
if (!canInject) console.log("skipped: strace is not installed, or may not trace here")
afterAll(() => disk.remove())

/** Status and body of a request, whatever they are. */
async function ask(daemon: Daemon, method: string, path: string, body?: unknown) {
  const isForm = body instanceof FormData
  const response = await fetch(`${daemon.url}/external${path}`, {
    method,
    signal: AbortSignal.timeout(30_000),
    headers: { ...daemon.credentials, ...(body && !isForm ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  })
  return { status: response.status, text: await response.text() }
}

function formOf(name: string, text: string): FormData {
  const form = new FormData()
  form.append("files", new Blob([text]), name)
  form.append("on_duplicate", "replace")
  return form
}

const readiness = async (daemon: Daemon) => {
  const response = await fetch(`${daemon.url}/readyz`)
  return [response.status, (await response.json()).status]
}

const filesOf = async (daemon: Daemon): Promise<{ id: string; name: string; status: string; attempts: number }[]> =>
  (await daemon.call("GET", "/libraries?page_size=100")).data

/** Every kind of write is refused by the contract's error, at once; reading goes on. */
async function expectRefusals(daemon: Daemon, fileId: string, conversationId: string): Promise<void> {
  const writes: [string, string, unknown?][] = [
    ["POST", "/upload", formOf("late.txt", "too late")],
    ["POST", "/upload", formOf("gulls.txt", "another version")],
    ["PATCH", `/libraries/${fileId}`, { tags: ["late"] }],
    ["POST", `/libraries/${fileId}/reindex`],
    ["DELETE", `/libraries/${fileId}`],
    ["POST", "/start-conversation", { message: QUESTION }],
    ["POST", "/conversations", { message: QUESTION }],
    ["POST", `/conversations/${conversationId}`, { message: QUESTION }],
    ["PATCH", `/conversations/${conversationId}`, { title: "late" }],
    ["DELETE", `/conversations/${conversationId}`],
    ["POST", "/agents/run", { task: QUESTION }],
  ]
  for (const [method, path, body] of writes) {
    const { status, text } = await ask(daemon, method, path, body)
    expect([method, path, status, JSON.parse(text).error?.code]).toEqual([method, path, 507, "insufficient_storage"])
    expect(text).toContain("carrel doctor")
    expect(text).not.toContain(daemon.data)
  }
  // The audit log tells of downloads: what cannot be told is not given.
  expect((await ask(daemon, "GET", `/libraries/${fileId}/content`)).status).toBe(507)
  for (const path of ["/libraries", `/libraries/${fileId}`, `/conversations/${conversationId}`, "/agents/runs"])
    expect([path, (await ask(daemon, "GET", path)).status]).toEqual([path, 200])
  expect((await daemon.call("POST", "/search", { query: "gulls" })).hits[0].file.name).toBe("gulls.txt")
}

/** What was acknowledged is there once, and nothing else. */
async function expectKept(daemon: Daemon, names: string[], conversationId: string): Promise<void> {
  const files = await filesOf(daemon)
  expect(files.map(file => file.name).sort()).toEqual([...names].sort())
  for (const { name, status } of files) expect([name, status]).toEqual([name, "searchable"])
  const { messages } = await daemon.call("GET", `/conversations/${conversationId}`)
  expect(messages.map((message: { role: string }) => message.role)).toEqual(["user", "assistant"])
  expect(messages[1].finish_reason).toBe("stop")
}

const QUEUED = Array.from({ length: 12 }, (_, i) => `queued-${i}.txt`)

/** A library with one file that is found, a conversation, and files that wait. */
async function fill(daemon: Daemon): Promise<{ fileId: string; conversationId: string }> {
  const { id } = await daemon.upload("gulls.txt", "The lighthouse keeper counts the gulls at dusk.")
  await daemon.settled()
  const { conversation_id } = await daemon.call("POST", "/start-conversation", { message: QUESTION })
  await Promise.all(QUEUED.map(name => daemon.upload(name, `The ${name} waits for its turn. `.repeat(400))))
  return { fileId: id, conversationId: conversation_id }
}

describe.skipIf(!disk.mounted)("a disk that turns read-only", () => {
  let daemon: Daemon
  let kept: { fileId: string; conversationId: string }
  beforeAll(async () => {
    daemon = await startDaemon(["--disk-floor-mb", "16"], { data: join(disk.path, "data") })
    kept = await fill(daemon)
    disk.turnReadOnly()
  }, LIMIT_MS)
  afterAll(() => daemon?.remove())

  test(
    "is said to whoever asks: 507 to writes, the daemon's readiness, its metrics and the doctor",
    async () => {
      await expectRefusals(daemon, kept.fileId, kept.conversationId)
      await until(async () => (await readiness(daemon))[0] === 503)
      expect(await readiness(daemon)).toEqual([503, "unwritable"])
      expect(await (await fetch(`${daemon.url}/metrics`)).text()).toMatch(/^carrel_disk_writable 0$/m)
      const doctor = await daemon.run("doctor")
      expect([doctor.code, doctor.out]).toEqual([
        1,
        expect.stringMatching(/PROBLEM disk sync: .* cannot be written \(EROFS\)/),
      ])
      expect((await filesOf(daemon)).filter(file => file.status === "failed")).toEqual([])
    },
    LIMIT_MS,
  )

  test(
    "lets the daemon stop, refuses its start in one line, and loses nothing: what it kept of the index is made again",
    async () => {
      expect(await daemon.stop()).toBe(0)
      const refused = await daemon.run("serve", "--port", "0")
      expect(refused.code).toBe(1)
      expect(refused.err).toMatch(/^carrel: the data directory \S+ cannot be written \(EROFS\)\n {2}→ [^\n]*\n$/)
      await disk.repair()
      await daemon.start()
      await daemon.settled()
      await expectKept(daemon, ["gulls.txt", ...QUEUED], kept.conversationId)
      const search = () => daemon.call("POST", "/search", { query: "lighthouse", mode: "semantic" })
      await until(async () => (await search()).hits[0]?.file.name === "gulls.txt")
      expect(await daemon.stop()).toBe(0)
      const checked = await daemon.run("doctor", "--check")
      expect(checked.out).toContain("search index: agrees with the database")
      expect(checked.out).toContain("stored files: 13 complete")
    },
    LIMIT_MS,
  )
})

describe.skipIf(!canInject)("a disk that reports errors for a while", () => {
  let daemon: Daemon
  let model: OllamaStandIn
  let kept: { fileId: string; conversationId: string }
  beforeAll(async () => {
    model = await startOllama([LLAMA])
    daemon = await startDaemon(["--ollama-host", model.server.url, "--default-model", "builtin/extractive"])
  }, LIMIT_MS)
  afterAll(async () => {
    await daemon?.remove()
    model?.server.stop()
  })

  test.each(["EIO", "EROFS"])(
    "(%s) is said, burns no attempt, and is over without a restart when the disk works again",
    async code => {
      kept = await fill(daemon)
      const release = await injectInto(daemon.pid, WRITES, `error=${code}`)
      try {
        await expectRefusals(daemon, kept.fileId, kept.conversationId)
        await until(async () => (await readiness(daemon))[0] === 503)
        await Bun.sleep(4_000) // longer than the first back-offs of a job that fails
      } finally {
        await release()
      }
      await daemon.settled()
      await expectKept(daemon, ["gulls.txt", ...QUEUED], kept.conversationId)
      for (const { name, attempts } of await filesOf(daemon)) expect([name, attempts]).toEqual([name, 1])
      await until(async () => (await readiness(daemon))[0] === 200)
      await daemon.upload("after.txt", "The tide brings the boats back.")
      await daemon.settled()
      expect(await daemon.stop()).toBe(0)
      const checked = await daemon.run("doctor", "--check")
      expect([checked.code, checked.out]).toEqual([
        0,
        expect.stringContaining("search index: agrees with the database"),
      ])
      await daemon.start()
      await expectKept(daemon, ["gulls.txt", "after.txt", ...QUEUED], kept.conversationId)
      for (const { id } of await filesOf(daemon)) await daemon.call("DELETE", `/libraries/${id}`)
    },
    LIMIT_MS,
  )

  test(
    "ends replies and runs that are under way with its error, and stores their end when it works again",
    async () => {
      model.server.scenes.add("slow", { text: "One two three four five six seven eight.", delayMs: 400 })
      const request = { model: "ollama/llama3.2:3b", use_library: false }
      const asked = ask(daemon, "POST", "/conversations", { message: "case-slow please", ...request })
      const ran = ask(daemon, "POST", "/agents/run", { task: "case-slow please", model: request.model })
      await until(async () => model.server.open === 2)
      const release = await injectInto(daemon.pid, WRITES, "error=EIO")
      try {
        const { text } = await asked
        expect(text).toMatch(/event: error\ndata: .*"code":"insufficient_storage"/)
        expect(text).toEndWith("event: done\ndata: {}\n\n")
        expect((await ran).status).toBe(507)
      } finally {
        await release()
      }
      const [{ conversation_id }] = (await daemon.call("GET", "/conversations?q=case-slow")).data
      const reply = async () => (await daemon.call("GET", `/conversations/${conversation_id}`)).messages[1]
      await until(async () => (await reply()).finish_reason !== null)
      expect(await reply()).toMatchObject({
        finish_reason: "error",
        content: "One two three four five six seven eight.",
      })
      const runs = async () => (await daemon.call("GET", "/agents/runs")).data
      await until(async () => (await runs()).every((run: { status: string }) => run.status !== "running"))
      const next = await daemon.call("POST", "/send", { conversation_id, message: "And then?" })
      expect(next.messages[1].finish_reason).toBe("stop")
    },
    LIMIT_MS,
  )

  test(
    "leaves nothing half of an upload whose commit it did not sync, also when a crash brings the commit back",
    async () => {
      const release = await injectInto(daemon.pid, "fsync,fdatasync", "error=EIO", join(daemon.data, "carrel.db-wal"))
      const { status } = await ask(daemon, "POST", "/upload", formOf("doubtful.txt", "The heron stands in the reeds."))
      expect(status).toBe(507)
      await daemon.kill()
      await release()
      await daemon.start()
      await daemon.settled()
      for (const { name, status } of await filesOf(daemon))
        expect([name, status]).toEqual(["doubtful.txt", "searchable"])
      expect(await daemon.stop()).toBe(0)
      expect((await daemon.run("doctor", "--check")).code).toBe(0)
    },
    LIMIT_MS,
  )
})
