/** Backup, restore, verify, doctor and eval on a directory with files, as a user calls them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUILT_IN_EMBEDDING_MODELS } from "../../src/backends/embedder.ts"
import { noteVerdict } from "../../src/commands/evaluation/verdicts.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"
import { carrel } from "./carrel.ts"

let daemon: Daemon
let scratch: string
const findings = async (data: string, ...flags: string[]) => {
  const { code, out } = await carrel(["doctor", "--json", ...flags], { data })
  const all: { what: string; state: string; text: string; remedy?: string }[] = JSON.parse(out).findings
  return { code, all, problems: all.filter(({ state, what }) => state === "problem" && !what.startsWith("disk")) }
}
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "carrel-beside-"))
  daemon = await startDaemon()
  for (const word of ["heron", "plover", "curlew"])
    await daemon.upload(`${word}.txt`, `The ${word} wades in the shallows.`)
  await daemon.settled()
}, 60_000)
afterAll(async () => {
  await daemon.remove()
  rmSync(scratch, { recursive: true, force: true })
})

describe("after a restore", () => {
  test("the doctor finds no problem, before and after the first look, until the daemon has made the index", async () => {
    const file = join(scratch, "b.tar")
    const written = await daemon.run("backup", file)
    expect([written.code, written.err]).toEqual([0, ""])
    expect((await carrel(["verify", file])).out).toContain(`${file} is complete: `)
    const data = join(scratch, "restored")
    expect((await carrel(["restore", file], { data })).code).toBe(0)
    for (const look of [1, 2]) {
      const { code, problems, all } = await findings(data, "--check")
      expect([look, problems]).toEqual([look, []])
      expect(code).toBe(all.some(({ state }) => state === "problem") ? 1 : 0)
      expect(all.filter(({ what }) => what === "search index")).toEqual([
        {
          what: "search index",
          state: "note",
          text: "3 passages are missing in the keyword index",
          remedy: "start the daemon: it makes them in the background, words first",
        },
        expect.objectContaining({ state: "note", text: expect.stringContaining("have no vector") }),
      ])
    }
    const again = await startDaemon([], { data })
    for (const kind of ["passages", "vectors"]) // words are made first
      await until(async () =>
        (await (await fetch(`${again.url}/metrics`)).text()).includes(`carrel_index_entries{kind="${kind}"} 3\n`),
      )
    const found = await again.call("POST", "/search", { query: "heron" })
    expect(found.hits[0].file.name).toBe("heron.txt")
    await again.stop()
    expect((await findings(data, "--check")).all).toContainEqual({
      what: "search index",
      state: "ok",
      text: "agrees with the database",
    })
  }, 120_000)
})

describe("carrel eval", () => {
  const questions = () => join(scratch, "questions.jsonl")

  test("measures beside the daemon and without it, and names the line of a file that is not there", async () => {
    writeFileSync(
      questions(),
      '{"query": "heron", "file": "heron.txt"}\n{"query": "curlew", "file": ["curlew.txt", "plover.txt"]}\n',
    )
    const running = await daemon.run("eval", questions(), "--json")
    expect(running.code).toBe(0)
    expect(JSON.parse(running.out)[0]).toMatchObject({ mode: "keyword", queries: 2, mrr: 1 })
    const shown = await daemon.run("eval", questions())
    expect(shown.out).toStartWith("3 passages of the library\n")
    const candidate = await daemon.run("eval", questions(), "--fusion", "0", "--rerank", "--json")
    expect(candidate.code).toBe(0)
    expect(JSON.parse(candidate.out)).toMatchObject({
      passages: { passages: 3, total: 3 },
      differences: [{ mode: "keyword", ndcg: 0, p: 1, better: 0, worse: 0 }, {}, { mode: "hybrid" }],
      verdict: "alike",
    })
    await daemon.stop()
    const measured = await daemon.run("eval", questions(), "--json")
    expect(measured.code).toBe(0)
    expect(JSON.parse(measured.out)[0]).toMatchObject({ mode: "keyword", queries: 2, mrr: 1 })
    writeFileSync(
      questions(),
      '{"query": "heron", "file": "heron.txt"}\n\n{"query": "curlew", "file": "curlew.text"}\n',
    )
    const wrong = await daemon.run("eval", questions())
    expect([wrong.code, wrong.out, wrong.err]).toEqual([
      2,
      "",
      'carrel: line 3: names "curlew.text", which is not a file of the library\n',
    ])
  }, 120_000)

  test("a model that was found worse is changed to only by force", async () => {
    const model = BUILT_IN_EMBEDDING_MODELS.fast
    const difference = { mode: "hybrid", ndcg: -0.2, p: 0.01, better: 1, worse: 9 } as const
    noteVerdict(daemon.data, { model, verdict: "worse", difference, questions: 10, at: new Date().toISOString() })
    const refused = await daemon.run("reindex", "--model", model)
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      "",
      expect.stringContaining(`${model} finds less than what serves now: -0.200 nDCG@10 over 10 questions (p 0.010)`),
    ])
    const forced = await daemon.run("reindex", "--model", model, "--force")
    expect([forced.code, forced.out]).toEqual([0, expect.stringContaining(`vectors of ${model}`)])
    writeFileSync(questions(), '{"query": "heron", "file": "heron.txt"}\n')
    const measured = await daemon.run("reindex", "--model", model, "--questions", questions())
    expect(measured.code).toBe(0)
  }, 120_000)
})

describe("users of a new directory", () => {
  test("are members without --admin, and the way to the first administrator is said and stays open", async () => {
    const data = join(scratch, "users")
    const added = await carrel(["users", "add", "--email", "m@example.org"], { data, input: "correct horse battery\n" })
    expect([added.code, added.out]).toEqual([0, expect.stringContaining("m@example.org (member)")])
    expect(added.err).toContain("There is no administrator yet")
    expect(added.err).toContain(`Created a new data directory: ${data}`)
    const link = await carrel(["users", "setup-link"], { data })
    expect([link.code, link.out]).toEqual([0, expect.stringMatching(/\/setup\?token=setup_/)])
    expect((await findings(data)).all).toContainEqual(
      expect.objectContaining({ what: "users", state: "note", remedy: expect.stringContaining("setup-link") }),
    )
    const admin = await carrel(["users", "add", "--email", "a@example.org", "--admin"], {
      data,
      input: "correct horse b\n",
    })
    expect([admin.code, admin.err]).toEqual([0, ""])
    const none = await carrel(["users", "setup-link"], { data })
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/^carrel: this installation already has an administrator\n {2}→ add further users/),
    ])
  }, 60_000)

  test("that are refused leave no directory", async () => {
    const data = join(scratch, "refused")
    const { code } = await carrel(["users", "add", "--email", "m@example.org"], { data, input: "short\n" })
    expect([code, existsSync(data)]).toEqual([2, false])
  })
})
