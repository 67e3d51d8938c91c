/** The daemon on a terminal and off it: how its log looks. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { COMMAND } from "../support/daemon.ts"
import { until } from "../support/until.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "carrel-terminal-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

interface OutputOptions {
  terminal: boolean
  flags?: string[]
  env?: object
  signals?: NodeJS.Signals[]
}

/** Starts the daemon, waits until it says that it is ready, stops it; what it wrote in all. */
async function output({ terminal, flags = [], env = {}, signals = ["SIGTERM"] }: OutputOptions) {
  const serve = [...COMMAND, "serve", "--data", data, "--port", "0", ...flags]
  const child = Bun.spawn(
    terminal ? ["script", "-qec", serve.map(word => `'${word}'`).join(" "), "/dev/null"] : serve,
    {
      env: {
        PATH: Bun.env.PATH ?? "",
        TERM: "xterm",
        CARREL_OLLAMA_HOST: "http://127.0.0.1:9",
        CARREL_EMBEDDING_TIER: "fast",
        ...env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    },
  )
  const all = new Response(child.stdout).text()
  const pid = await until(() => pidIn(join(data, "daemon.json")))
  for (const signal of signals) process.kill(pid, signal)
  await child.exited
  return all
}

function pidIn(path: string): number | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")).pid
  } catch {
    return undefined
  }
}

const logLines = (text: string) => text.split(/\r?\n/).filter(line => /\b(?:ready|stopping|stopped)\b/.test(line))

describe.skipIf(!Bun.which("script"))("the daemon's log", () => {
  test("is readable lines in colour on a terminal", async () => {
    const lines = logLines(await output({ terminal: true }))
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(/\x1b\[2m\d\d:\d\d:\d\d\.\d{3}\x1b\[0m \x1b\[32mINFO \x1b\[0m \w+/)
  }, 60_000)

  test("has no colour where NO_COLOR is set", async () => {
    const lines = logLines(await output({ terminal: true, env: { NO_COLOR: "1" } }))
    expect(lines).toHaveLength(3)
    expect(lines.join()).not.toContain("\x1b[3")
    expect(lines.at(-1)).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}stopped$/)
  }, 60_000)

  test("is JSON on a terminal that asks for it", async () => {
    const lines = logLines(await output({ terminal: true, flags: ["--log-format", "json"] }))
    expect(lines.map(line => JSON.parse(line.slice(line.indexOf("{"))).message)).toEqual([
      "ready",
      "stopping",
      "stopped",
    ])
  }, 60_000)

  test("says once that it stops, however many signals it gets", async () => {
    const lines = logLines(await output({ terminal: false, signals: ["SIGINT", "SIGTERM"] }))
    expect(lines.map(line => JSON.parse(line).message)).toEqual(["ready", "stopping", "stopped"])
  }, 60_000)

  test("is JSON off a terminal, and readable without colour where that is asked for", async () => {
    const lines = logLines(await output({ terminal: false }))
    expect(lines.map(line => JSON.parse(line).message)).toEqual(["ready", "stopping", "stopped"])
    const pretty = logLines(await output({ terminal: false, flags: ["--log-format", "pretty"] }))
    expect(pretty.at(-1)).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}stopped$/)
  }, 60_000)
})
