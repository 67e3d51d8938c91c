/**
 * Carries out the scenarios of sdk/conformance with each SDK against the executable, with a model server and a network that break,
 * and compares what they tell.
 *
 *   npm run sdk:conformance [-- PART_OF_A_NAME]
 *
 * The executable is dist/carrel (`npm run build`), or the one that CARREL_BIN names.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"
import { executableCommand } from "../../test/support/executable.ts"
import { LLAMA, startOllama } from "../../test/support/ollama.ts"
import { FaultProxy } from "./conformance/fault-proxy.ts"
import { type Language, languages, Runner } from "./conformance/runners.ts"
import {
  chainsOf,
  difference,
  filled,
  readScenarios,
  type Scenario,
  type Step,
  scrubbed,
} from "./conformance/scenario.ts"
import { signedHeaders } from "./conformance/signed.ts"

const RETRY_MS = 20_000
/** Scenarios of one kind at the same time, each in a workspace of its own: most of their time is waiting. */
const SIDE_BY_SIDE = 3
/** Where nothing listens. */
const CLOSED = "http://127.0.0.1:9"

type Kind = Language["kinds"][number]
/** By scenario: what each step told, scrubbed; and what differs from what is expected. */
interface Told {
  steps: Map<string, unknown[]>
  differences: string[]
}

class Player {
  private readonly runner: Runner
  private saved: Record<string, unknown> = {}

  constructor(
    private readonly kind: Kind,
    /** Of a key, and of an administrator's session. */
    private readonly tokens: { token: string; session: string },
    private readonly proxy: FaultProxy,
    /** Of the kind: what all of its players are told. */
    private readonly told: Told,
  ) {
    this.runner = new Runner(kind.command, kind.env)
  }

  async play(scenario: Scenario): Promise<void> {
    if (scenario.needs === "cancel" && !this.kind.cancels) return
    const folder = mkdtempSync(join(tmpdir(), "carrel-conformance-"))
    this.saved = { folder, session: this.tokens.session, model: `ollama/${LLAMA.name}` }
    write(folder, scenario.folder)
    this.proxy.begin()
    this.proxy.inject(scenario.faults ?? [])
    const told: unknown[] = []
    for (const [at, step] of scenario.steps.entries()) {
      write(folder, step.write)
      const got = await this.step(scenario, step)
      const different = differs(step, got, this.saved)
      if (different) this.differ(scenario, `step ${at + 1}, ${step.call}${different}`)
      told.push(step.loose || "kill_after" in step ? null : scrubbed(got))
      if (step.save) this.saved[step.save] = got.result
      if (different) break
    }
    for (const { on, times, keys } of scenario.sent ?? []) {
      const sent = this.proxy.sent.filter(({ line }) => new RegExp(on).test(line))
      if (sent.length !== times) this.differ(scenario, `${on} was sent ${sent.length} times, not ${times}`)
      const names = new Set(sent.map(({ key }) => key))
      if (keys !== undefined && names.size !== keys) this.differ(scenario, `${on} had ${names.size} keys, not ${keys}`)
    }
    this.told.steps.set(scenario.name, told)
    rmSync(folder, { recursive: true, force: true })
  }

  stop(): void {
    this.runner.kill()
    this.proxy.stop()
  }

  private differ({ name }: Scenario, what: string): void {
    this.told.differences.push(`${this.kind.name}: ${name}: ${what}`)
  }

  private step({ client = {} }: Scenario, step: Step): Promise<Record<string, unknown>> {
    if (step.faults) this.proxy.inject(step.faults)
    const { token = this.tokens.token, retry_ms = RETRY_MS, closed } = client
    const given = {
      ...{ call: step.call, ids: step.ids ?? [], body: step.body, files: step.files, options: step.options ?? {} },
      ...(step.limit === undefined ? {} : { limit: step.limit }),
      ...(step.sweep ? { sweep: { to: this.proxy.lastBytes, ...step.sweep } } : {}),
    }
    const line = {
      client: { base_url: closed ? CLOSED : this.proxy.url, token: filled(token, this.saved), retry_ms },
      ...(filled(signedHeaders(given), this.saved) as object),
    }
    if (step.kill_after !== undefined) this.killAfter(step.kill_after)
    return this.runner.call(line)
  }

  private killAfter(requests: number): void {
    let left = requests
    this.proxy.onAnswered = () => {
      if (--left > 0) return
      this.proxy.onAnswered = undefined
      this.runner.kill()
    }
  }
}

function differs(step: Step, got: Record<string, unknown>, saved: Record<string, unknown>): string | undefined {
  if (step.kill_after !== undefined) return difference({ class: "Killed" }, got.error, ".error")
  if (step.error !== undefined) return difference(step.error, got.error, ".error")
  if (got.error) return `: ${JSON.stringify(got.error)}`
  return step.expect === undefined ? undefined : difference(filled(step.expect, saved), got.result, "")
}

function write(folder: string, files: Record<string, string> = {}): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** What is not the same in all of them, beside what none of them may tell. */
function unequal(scenarios: readonly Scenario[], players: readonly { name: string; told: Told }[]): string[] {
  const found = players.flatMap(({ told }) => told.differences)
  const failed = new Set(scenarios.filter(({ name }) => found.some(line => line.includes(`: ${name}: `))))
  for (const scenario of scenarios) {
    if (failed.has(scenario)) continue
    const those = players.filter(({ told }) => told.steps.has(scenario.name))
    for (const at of scenario.steps.keys()) {
      const [first, ...others] = those.map(({ name, told }) => [
        name,
        JSON.stringify(told.steps.get(scenario.name)![at]),
      ])
      for (const [name, text] of others) {
        if (text !== first![1])
          found.push(`${scenario.name}: step ${at + 1}:\n  ${first!.join(" ")}\n  ${name} ${text}`)
      }
    }
  }
  return found
}

/** The token of an administrator's session: keys are made with one. */
async function sessionOf(daemon: Daemon, workspace: string): Promise<string> {
  const [email, password] = [`${workspace}@example.com`, "correct horse battery staple"]
  const who = ["--email", email, "--admin", "--workspace", workspace, "--data", daemon.data]
  const child = Bun.spawn([...(await executableCommand()), "users", "add", ...who], {
    ...{ stdin: new TextEncoder().encode(`${password}\n`), stdout: "ignore", stderr: "inherit" },
  })
  if ((await child.exited) !== 0) throw new Error(`no administrator for ${workspace}`)
  const { token } = await daemon.call("POST", "/keys/sessions", { email, password })
  return token
}

async function keyOf(daemon: Daemon, workspace: string): Promise<string> {
  const { code, out, err } = await daemon.run(
    "keys",
    "create",
    "--name",
    "conformance",
    "--workspace",
    workspace,
    "--json",
  )
  if (code !== 0) throw new Error(err)
  return JSON.parse(out).token
}

/** Those who sign in at the same time are taken for one who guesses. */
const inTurn = (() => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done
    return done
  }
})()

async function played(kind: Kind, scenarios: readonly Scenario[], daemon: Daemon): Promise<Told> {
  const told: Told = { steps: new Map(), differences: [] }
  const left = chainsOf(scenarios)
  const play = async (_: unknown, at: number) => {
    const workspace = `${kind.name}-${at}`
    const tokens = await inTurn(async () => ({
      token: await keyOf(daemon, workspace),
      session: await sessionOf(daemon, workspace),
    }))
    const player = new Player(kind, tokens, await new FaultProxy(() => daemon.url).listen(), told)
    try {
      for (let chain = left.shift(); chain; chain = left.shift()) for (const next of chain) await player.play(next)
    } finally {
      player.stop()
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, play))
  return told
}

async function conform(only: string): Promise<number> {
  const scenarios = readScenarios(only)
  const all = languages()
  for (const { name, kinds, missing } of all) if (kinds.length === 0) console.log(`${name} is skipped: ${missing}`)
  const kinds = all.flatMap(language => language.kinds)
  const ollama = await startOllama([LLAMA])
  for (const { scenes = {} } of scenarios)
    for (const [name, turn] of Object.entries(scenes)) ollama.server.scenes.add(name, turn)
  const flags = ["--ollama-host", ollama.server.url, "--webhook-allow", "127.0.0.0/8"]
  const daemon = await startDaemon(flags, { command: await executableCommand() })
  try {
    const told = await Promise.all(
      kinds.map(async kind => ({ name: kind.name, told: await played(kind, scenarios, daemon) })),
    )
    const differences = unequal(scenarios, told)
    for (const line of differences) console.error(line)
    const count = all.filter(language => language.kinds.length > 0).length
    const skipped = all.filter(language => language.kinds.length === 0).map(({ name }) => name)
    const equal = differences.length === 0 ? "all equal" : `${differences.length} differences`
    const without = skipped.length > 0 ? ` (without ${skipped.join(", ")})` : ""
    console.log(`${scenarios.length} scenarios × ${count} languages: ${equal}${without}`)
    return differences.length === 0 ? 0 : 1
  } finally {
    await daemon.remove()
    ollama.server.stop()
  }
}

if (import.meta.main) process.exit(await conform(process.argv[2] ?? ""))
