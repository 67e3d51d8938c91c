import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { TransformersEmbedder } from "../../src/backends/transformers.ts"
import { setLogSink } from "../../src/log.ts"
import type { ThreadReply } from "../../src/threads/thread-side.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { cosine, embedderConformance, expectNearest } from "./embedder-conformance.ts"

const BUILT_IN = join(import.meta.dir, "../../models")
const FIXTURES = join(import.meta.dir, "../fixtures/models")

const root = mkdtempSync(join(tmpdir(), "carrel-transformers-"))
const nativeDirectory = join(root, "native")
const open = (name: string, directory: string) => openEmbedder({ name, directories: [directory], nativeDirectory })

const lines: string[] = []
beforeAll(() => setLogSink(line => lines.push(line)))
afterAll(() => {
  setLogSink(line => void process.stdout.write(`${line}\n`))
  rmSync(root, { recursive: true, force: true })
})

embedderConformance("the built-in model", () => open("", BUILT_IN))
embedderConformance("a folder without pooling in its graph", () => open("tiny-mean", FIXTURES))

describe("the built-in model", () => {
  test("knows that texts without a common word can mean the same", async () => {
    const embedder = await open("", BUILT_IN)
    const [question, near, far] = await embedder.embed(
      ["salary of an employee", "wages paid to workers", "the glacier melts in summer"],
      "query",
    )
    await embedder.close()
    expect(cosine(question!, near!)).toBeGreaterThan(cosine(question!, far!) + 0.2)
  })

  test("finds a meaning in another language than it was asked in", async () => {
    const embedder = await open("", BUILT_IN)
    const [question, ...texts] = await embedder.embed(
      [
        "How much paid vacation does an employee get?",
        "Der Arbeitnehmer hat Anspruch auf 25 Tage bezahlten Urlaub im Jahr.",
        "Der Gletscher schmilzt im Sommer schneller als im Winter.",
        "El trabajador tiene derecho a 25 días de vacaciones pagadas al año.",
        "El glaciar se derrite más rápido en verano que en invierno.",
        "员工每年享有二十五天的带薪假期。",
        "冰川在夏天比冬天融化得更快。",
      ],
      "query",
    )
    await embedder.close()
    const nearness = texts.map(text => cosine(question!, text))
    for (let at = 0; at < texts.length; at += 2) expect(nearness[at]).toBeGreaterThan(nearness[at + 1]! + 0.1)
  })

  test("says which languages it knows, and how much its scores weigh", async () => {
    const embedder = (await open("", BUILT_IN)) as TransformersEmbedder
    expect(embedder.languages).toEqual(expect.arrayContaining(["ar", "de", "en", "es", "zh"]))
    expect(embedder.fusionWeight).toBeGreaterThan(0.2)
    expect(embedder.fusionWeight).toBeLessThan(0.5)
    expect(embedder.dimensions).toBe(256)
    await embedder.close()
  })

  test("answers a query while passages are being embedded, without waiting for them", async () => {
    const embedder = await open("", BUILT_IN)
    await embedder.embed(["warm"], "query")
    let passagesDone = false
    const texts = Array.from({ length: 600 }, (_, i) => `passage ${i} about rivers and stones `.repeat(20))
    const passages = embedder.embed(texts, "passage").then(() => {
      passagesDone = true
    })
    await embedder.embed(["how wide is the river"], "query")
    expect(passagesDone).toBe(false)
    await passages
    await embedder.close()
  })

  test("writes nothing beside the model and no telemetry", () => {
    expect(existsSync(join(BUILT_IN, "carrel-embed-multi-v1", ".cache"))).toBe(false)
    expect(existsSync(join(root, ".cache"))).toBe(false)
  })
})

describe("the built-in model of many languages", () => {
  test("finds in one language what was asked in another, and gives a text the same vector in any company", async () => {
    const embedder = await open("multilingual-e5-small", BUILT_IN)
    const passages = [
      "Die Kündigungsfrist beträgt drei Monate.",
      "ถอดปลั๊กก่อนทำความสะอาดเครื่อง",
      "会议室需要提前一天预订。",
    ]
    const questions = [
      "how long is the notice period",
      "is it safe to clean it",
      "how do I reserve a room for a meeting",
    ]
    await expectNearest(embedder, questions, passages)
    const [notice] = await embedder.embed(passages, "passage")
    const [alone] = await embedder.embed([passages[0]!], "passage")
    await embedder.close()
    expect([...alone!]).toEqual([...notice!])
  })
})

describe("a model folder of another make", () => {
  test("is pooled by mean over its tokens, padding left out, with its own prefixes", async () => {
    const embedder = await open("tiny-mean", FIXTURES)
    const [long, short] = await embedder.embed(["red green", "red"], "passage")
    await embedder.close()
    // "passage", ":", "red", "green" and "passage", ":", "red" in the fixture's table, where row n is n at n mod 8.
    const expected = Float32Array.of(0, 0, 0, 0, 4, 5, 6, 0)
    expect(cosine(short!, expected)).toBeCloseTo(Math.hypot(4, 5, 6), 4)
    expect(long![7]).toBeCloseTo(7 / Math.hypot(4, 5, 6, 7), 4)
  })

  test("that lies about its dimensions is refused with the reason", async () => {
    cpSync(join(FIXTURES, "tiny-mean"), join(root, "liar"), { recursive: true })
    writeFileSync(join(root, "liar/carrel.json"), JSON.stringify({ dimensions: 12 }))
    const embedder = await open("liar", root)
    expect(await rejection(embedder.embed(["red"], "query"))).toMatchObject({
      code: "model_unavailable",
      hint: expect.stringContaining("8 dimensions"),
    })
    await embedder.close()
  })

  test("with damaged weights is refused, and not tried again at once", async () => {
    cpSync(join(FIXTURES, "tiny-mean"), join(root, "damaged"), { recursive: true })
    writeFileSync(join(root, "damaged/onnx/model.onnx"), "not a model")
    const embedder = await open("damaged", root)
    expect(await rejection(embedder.embed(["red"], "query"))).toMatchObject({ code: "model_unavailable" })
    const tries = lines.filter(line => line.includes("cannot be opened")).length
    expect(await rejection(embedder.embed(["red"], "query"))).toMatchObject({ code: "model_unavailable" })
    expect(lines.filter(line => line.includes("cannot be opened"))).toHaveLength(tries)
    await embedder.close()
  })

  test("is looked for by name only, and its absence says where to put it", async () => {
    expect(await rejection(open("absent", root))).toMatchObject({
      code: "model_not_found",
      hint: expect.stringContaining(root),
    })
    expect(await rejection(open("../models/tiny-mean", FIXTURES))).toMatchObject({ code: "model_not_found" })
  })
})

describe("a worker that dies", () => {
  const workers: FakeWorker[] = []
  afterEach(() => void workers.splice(0))
  const folder = readEmbeddingFolder(join(FIXTURES, "tiny-mean"))
  /** Each worker dies at its first batch where `lives` says false, and answers where it says true. */
  const embedderOf = (lives: boolean[]) =>
    new TransformersEmbedder(folder, {
      nativeDirectory,
      startWorker: () => {
        const worker = new FakeWorker(lives[workers.length] ?? true)
        workers.push(worker)
        return worker as unknown as Worker
      },
    })

  test("is replaced once, and the caller does not notice", async () => {
    const embedder = embedderOf([false, true])
    const vectors = await embedder.embed(["red", "green"], "passage")
    expect(vectors).toHaveLength(2)
    expect(workers).toHaveLength(2)
    await embedder.close()
  })

  test("gives its memory back when nobody asked for a while, and the next text loads it anew", async () => {
    const startWorker = () => {
      const worker = new FakeWorker(true)
      workers.push(worker)
      return worker as unknown as Worker
    }
    const embedder = new TransformersEmbedder(folder, { nativeDirectory, startWorker, idleMs: 50 })
    await embedder.embed(["red"], "passage")
    expect(embedder.isLoaded).toBe(true)
    await until(() => !embedder.isLoaded)
    expect(await embedder.embed(["green"], "query")).toHaveLength(1)
    expect(workers).toHaveLength(2)
    await embedder.close()
  })

  test("twice in a row makes the model unavailable for everyone who waits, and for a while after", async () => {
    const embedder = embedderOf([false, false])
    const waiting = await Promise.allSettled([embedder.embed(["red"], "passage"), embedder.embed(["green"], "query")])
    for (const each of waiting)
      expect(each).toMatchObject({ status: "rejected", reason: { code: "model_unavailable" } })
    expect(await rejection(embedder.embed(["blue"], "query"))).toMatchObject({ code: "model_unavailable" })
    expect(workers).toHaveLength(2)
    await embedder.close()
  })

  test("starts with the first text, not with the embedder; queries overtake passages; closing fails what waits", async () => {
    const embedder = embedderOf([true])
    expect(workers).toHaveLength(0)
    const order: string[] = []
    const passages = Array.from({ length: 3 }, (_, i) =>
      embedder.embed([`stone ${i}`], "passage").then(() => order.push(`passage ${i}`)),
    )
    await Promise.all([...passages, embedder.embed(["river"], "query").then(() => order.push("query"))])
    expect(order).toEqual(["query", "passage 0", "passage 1", "passage 2"])
    const refused = embedder.embed(["red"], "passage").catch(error => error)
    await embedder.close()
    expect(await refused).toMatchObject({ code: "model_unavailable" })
    expect(workers[0]!.terminated).toBe(true)
  })

  test("an aborted text that waits is never computed", async () => {
    const embedder = embedderOf([true])
    const stop = new AbortController()
    const first = embedder.embed(["red"], "passage")
    const second = embedder.embed(["never"], "passage", stop.signal)
    stop.abort(new Error("gone"))
    expect((await rejection(second)).message).toContain("gone")
    await first
    expect(workers[0]!.texts.flat().join()).not.toContain("never")
    await embedder.close()
  })
})

/** Answers like the worker, one task later, or dies at its first batch. */
class FakeWorker {
  onmessage: ((event: MessageEvent<ThreadReply>) => void) | undefined
  onerror: ((event: ErrorEvent) => void) | undefined
  terminated = false
  readonly texts: string[][] = []

  constructor(private readonly lives: boolean) {}

  addEventListener(): void {}

  postMessage({ id, task, ask }: { id: number; task: "open" | "run"; ask: unknown }): void {
    setTimeout(() => {
      if (task === "open") this.reply({ id, answer: undefined })
      else if (!this.lives) this.onerror?.({ message: "the model crashed" } as ErrorEvent)
      else {
        const texts = ask as string[]
        this.texts.push(texts)
        this.reply({ id, answer: new Float32Array(texts.length * 8).fill(1) })
      }
    })
  }

  terminate(): void {
    this.terminated = true
  }

  private reply(data: ThreadReply): void {
    this.onmessage?.({ data } as MessageEvent<ThreadReply>)
  }
}
