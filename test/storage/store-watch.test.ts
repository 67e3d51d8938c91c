/** What is said of engines that several machines share while one of them is down. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  AppError,
  asStorageError,
  type Engine,
  EngineError,
  engineTrouble,
  OperatorError,
  storeUnavailable,
  toErrorBody,
} from "../../src/errors.ts"
import { errorResponse } from "../../src/http/error-response.ts"
import { setLogSink } from "../../src/log.ts"
import { StoreWatch } from "../../src/storage/store-watch.ts"
import { until } from "../support/until.ts"

const lines: string[] = []
const is: Record<Engine, "up" | "refusing" | "silent"> = { database: "up", blobs: "up", search: "up" }
const asked: Record<Engine, number> = { database: 0, blobs: 0, search: 0 }
const ask = (engine: Engine) => async (signal: AbortSignal) => {
  asked[engine]++
  if (is[engine] === "refusing") throw new Error("ECONNREFUSED")
  if (is[engine] === "silent") await new Promise(resolve => signal.addEventListener("abort", resolve))
}
let watch: StoreWatch
beforeEach(() => {
  lines.length = 0
  setLogSink(line => lines.push(line))
  for (const engine of ["database", "blobs", "search"] as const) [is[engine], asked[engine]] = ["up", 0]
  watch = new StoreWatch({ database: ask("database"), blobs: ask("blobs"), search: ask("search") })
})
afterEach(() => watch.close())

test("an engine that refuses or is silent is down, and only it", async () => {
  expect(await watch.down()).toEqual([])
  is.search = "refusing"
  expect(await watch.down(0)).toEqual(["search"])
  is.blobs = "silent"
  expect(await watch.down(0)).toEqual(["blobs", "search"])
})

test("many who ask at once are told by one question, and so are those who ask soon after", async () => {
  await Promise.all(Array.from({ length: 50 }, () => watch.down()))
  await watch.down()
  expect(asked).toEqual({ database: 1, blobs: 1, search: 1 })
})

test("the log says once that an engine is down, and once that it is back", async () => {
  is.database = "refusing"
  for (let i = 0; i < 3; i++) await watch.down(0)
  is.database = "up"
  for (let i = 0; i < 3; i++) await watch.down(0)
  expect(lines.map(line => JSON.parse(line).message ?? JSON.parse(line).msg)).toEqual([
    "the database does not answer",
    "the database answers again",
  ])
})

test("the log says it although nobody asks", async () => {
  is.blobs = "refusing"
  await until(() => lines.length > 0)
  expect(lines[0]).toContain("the blob storage does not answer")
}, 20_000)

test("an engine that could not be reached is to blame; one that took a request badly, only while it is down", async () => {
  const unreached = new EngineError("search", "ECONNRESET")
  const badly = new Error("not indexed", { cause: new EngineError("search", "500", { answered: true }) })
  expect(await watch.isToBlame(unreached)).toBe(true)
  expect(await watch.isToBlame(badly)).toBe(false)
  is.search = "refusing"
  expect(await watch.isToBlame(badly)).toBe(true)
  expect(await watch.isToBlame(new Error("ours"))).toBe(false)
})

test.each([
  ["database", "the database cannot be reached at present"],
  ["blobs", "the blob storage cannot be reached at present"],
  ["search", "the search engine cannot be reached at present"],
] as const)("an error of %s is 503, names it and says when to ask again", async (store, message) => {
  const error = new Error("work failed", { cause: new EngineError(store, "connect ECONNREFUSED 10.0.0.9:5432") })
  expect(engineTrouble(error)).toBe(store)
  for (const given of [error, storeUnavailable(store, error)]) {
    const response = errorResponse(given, "req_1")
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "2"])
    expect((await response.json()).error).toEqual({
      code: "store_unavailable",
      message,
      request_id: "req_1",
      details: [{ store }],
    })
  }
  expect(toErrorBody(error)).toEqual({ code: "store_unavailable", message, details: [{ store }] })
})

test("an engine whose disk is full is told as a full disk, and errors of others are nobody's engine", () => {
  const full = new EngineError("database", "could not extend file: No space left on device")
  expect(asStorageError(full)).toMatchObject({ code: "insufficient_storage" })
  expect(engineTrouble(new AppError("model_unavailable", { cause: new Error("ECONNREFUSED") }))).toBeUndefined()
  const cause = new EngineError("search", "it refuses the credentials", { answered: true })
  expect(engineTrouble(new OperatorError("--search-url: OpenSearch refuses the password", { cause }))).toBeUndefined()
  expect(engineTrouble(new AppError("not_found", { cause }))).toBeUndefined()
})
