/** The main walk of a new user through the executable for arm64. Started by `arm64.test.ts`, in a place made for it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { version } from "../../package.json"
import { bringLoopbackUp } from "../binary/loopback.ts"
import { smallPdf } from "../binary/small-pdf.ts"
import { until } from "../support/until.ts"

const PATIENCE = { within: 180_000, everyMs: 200 }
setDefaultTimeout(200_000)

const URL = "http://127.0.0.1:4747"
const chroot = Bun.which("chroot", { PATH: "/usr/sbin:/sbin:/usr/bin:/bin" })!
/** Nothing is in the file system but libraries. */
const carrel = (...words: string[]) => [chroot, process.env.ROOT!, "/carrel", ...words, "--data", "/data"]
/** Nor in the environment. */
const env = {}

let daemon: Bun.Subprocess | undefined
let credentials: Record<string, string>
let fileId: string

beforeAll(() => bringLoopbackUp())
afterAll(() => daemon?.kill("SIGKILL"))

test("says its version", () => {
  expect(Bun.spawnSync([chroot, process.env.ROOT!, "/carrel", "version"], { env }).stdout.toString()).toContain(version)
})

test("starts and becomes ready", async () => start())

test("makes an API key beside the running daemon", () => {
  const { stdout, exitCode } = Bun.spawnSync(carrel("keys", "create", "--name", "walk", "--json"), { env })
  expect(exitCode).toBe(0)
  const key = JSON.parse(stdout.toString())
  credentials = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
})

test("takes a PDF and makes it searchable", async () => {
  const form = new FormData()
  const pages = ["Introduction to the rental agreement.", "The notice period for the green garage is eleven weeks."]
  form.append("files", new Blob([smallPdf(pages)], { type: "application/pdf" }), "rental.pdf")
  fileId = (await (await call("/upload", form)).json()).files[0].id
  const file = await until(async () => {
    const record = await (await call(`/libraries/${fileId}`)).json()
    return ["searchable", "failed"].includes(record.status) && record
  }, PATIENCE)
  expect(file).toMatchObject({ status: "searchable", page_count: 2, error: null })
})

test("finds the sentence on its page, by meaning and by words", async () => expectHit())

test("answers with streamed text that cites the page", async () => {
  const events = await (
    await call("/conversations", { message: "What is the notice period for the green garage?" })
  ).text()
  const completed = /^event: message_completed\ndata: (.*)$/m.exec(events)![1]!
  expect(JSON.parse(completed).citations[0]).toMatchObject({ file_id: fileId, position: { page: 2 } })
})

test("an agent's run reads the file with a tool, and its result cites the page", async () => {
  const task = { task: "What is the notice period for the green garage?", model: "builtin/extractive" }
  const run = await (await call("/agents/run", task)).json()
  expect(run).toMatchObject({ status: "completed", output: expect.stringContaining("eleven weeks") })
  expect(run.steps.map(({ name }: { name?: string }) => name)).toContain("search_library")
  expect(run.citations[0]).toMatchObject({ file_id: fileId, position: { page: 2 } })
})

test.each(["/", "/external-docs/docs"])("serves the page %s", async path => {
  const answer = await fetch(URL + path)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<html")])
})

test("stops on SIGTERM with exit code 0, and finds the sentence after the next start", async () => {
  daemon!.kill("SIGTERM")
  expect(await daemon!.exited).toBe(0)
  await start()
  await expectHit()
})

async function start(): Promise<void> {
  daemon = Bun.spawn(carrel("serve"), { env, stdin: "ignore", stdout: "ignore", stderr: "inherit" })
  await until(async () => {
    if (daemon!.exitCode !== null) throw new Error(`ended with ${daemon!.exitCode}`)
    return (await fetch(`${URL}/readyz`).catch(() => undefined))?.ok
  }, PATIENCE)
}

async function expectHit(): Promise<void> {
  for (const mode of ["hybrid", "keyword", "semantic"]) {
    const { hits } = await (await call("/search", { query: "notice period green garage", mode })).json()
    expect(hits[0]).toMatchObject({ file: { id: fileId }, position: { page: 2 } })
  }
}

function call(path: string, body?: object): Promise<Response> {
  const form = body instanceof FormData
  return fetch(`${URL}/external-docs/external${path}`, {
    method: body ? "POST" : "GET",
    headers: { ...credentials, ...(body && !form ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  })
}
