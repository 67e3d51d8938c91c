/** `carrel sync` from its arguments to its exit status. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { allowListOf } from "../../egress/allow-list.ts"
import { Egress } from "../../egress/egress.ts"
import { fetchPolicy } from "../../egress/policy.ts"
import { log } from "../../log.ts"
import { checkGlobs, matcherOf } from "../../sources/globs.ts"
import { type Progress, withProgress } from "../progress.ts"
import { check } from "./check.ts"
import { Daemon } from "./daemon.ts"
import { compare, listed, type PassPlan, pass } from "./pass.ts"
import { placeOf } from "./place.ts"
import { findOrMakeSource, findSource, refuseOther } from "./remote.ts"
import { isComplete, reportCheck, reportDryRun, reportPass } from "./report.ts"
import { keepInSync } from "./watch.ts"

export interface SyncRequest {
  place: string
  url: URL
  token: string
  mode: "once" | "check" | "dry-run" | "watch"
  passwordFile: string | undefined
  name: string | undefined
  context: string | undefined
  include: readonly string[]
  exclude: readonly string[]
  checksum: boolean
  delete: boolean
  force: boolean
  asJson: boolean
  /** With `watch`. */
  everyMs: number
}

const INCOMPLETE = 3
/** A daemon that is restarted, or moved to another machine, is back by then. */
const PATIENCE_MS = 10 * 60_000
/** Waits that are worth a line. */
const LONG_WAIT_MS = 5_000

export async function sync(request: SyncRequest): Promise<number> {
  const place = placeOf(request.place, request.passwordFile)
  await using stack = new AsyncDisposableStack()
  const interrupted = untilInterrupted(stack)
  const directory = keptDirectory(stack)
  const egress = new Egress({ policy: fetchPolicy(allowListOf(["*"]), false) }) // the user's own machine, and word
  const connector = place.open({ egress, sourceRoots: place.roots, directory })
  stack.defer(() => connector.close?.())
  const daemon = new Daemon(request.url, {
    token: request.token,
    signal: interrupted,
    patienceMs: request.mode === "watch" ? Number.POSITIVE_INFINITY : PATIENCE_MS,
    onWait: (why, ms) => ms >= LONG_WAIT_MS && log.warn(`${why}; trying again in ${Math.round(ms / 1_000)} s`),
  })
  const plan: PassPlan = {
    daemon,
    connector,
    admits: matcherOf(checkGlobs("--include", request.include), checkGlobs("--exclude", request.exclude)),
    checksum: request.checksum,
    delete: request.delete,
    force: request.force,
  }
  try {
    return await MODES[request.mode](request, plan, request.name ?? place.name)
  } catch (error) {
    if (!interrupted.aborted) throw error
    log.info("stopped; the next run goes on from here")
    return request.mode === "watch" ? 0 : INCOMPLETE
  }
}

type Mode = (request: SyncRequest, plan: PassPlan, name: string) => Promise<number>

/** What they print stands below the progress, which is gone by then. */
const MODES: Record<SyncRequest["mode"], Mode> = {
  async once(request, plan, name) {
    const { source, outcome } = await asking(async progress => {
      const found = await findOrMakeSource(plan.daemon, name, request.context)
      return { source: found, outcome: await pass(plan, found, progress) }
    })
    reportPass(source, outcome, request.asJson)
    return isComplete(outcome) ? 0 : INCOMPLETE
  },

  async check(request, plan, name) {
    const { source, checked } = await asking(async progress => {
      const found = await existing(request, plan, name)
      return { source: found, checked: await check(plan, found, progress) }
    })
    reportCheck(name, source, checked, request.asJson)
    return checked.missing.length === 0 && !(request.delete && checked.stale > 0) ? 0 : INCOMPLETE
  },

  async "dry-run"(request, plan, name) {
    const { entries, compared } = await asking(async progress => {
      const source = await existing(request, plan, name)
      const found = await listed(plan, progress)
      progress.step("Comparing")
      return { entries: found, compared: source && (await compare(plan, source, found, true)) }
    })
    reportDryRun(name, entries.length, compared, request.asJson)
    return 0
  },

  async watch(request, plan, name) {
    const source = await findOrMakeSource(plan.daemon, name, request.context)
    await keepInSync(plan, source, request)
    return 0
  },
}

const asking = <T>(work: (progress: Progress) => Promise<T>): Promise<T> => withProgress("Asking the daemon", work)

async function existing({ context }: SyncRequest, { daemon }: PassPlan, name: string) {
  const source = await findSource(daemon, name)
  if (source) refuseOther(source, context)
  return source
}

/** Aborts at Ctrl-C and SIGTERM; a second one ends the process as it stands. */
function untilInterrupted(stack: AsyncDisposableStack): AbortSignal {
  const interrupt = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    const stop = () => interrupt.abort(new Error("stopped"))
    process.once(name, stop)
    stack.defer(() => void process.off(name, stop))
  }
  return interrupt.signal
}

/** A folder for what a connector keeps, as long as the command runs. */
function keptDirectory(stack: AsyncDisposableStack): () => Promise<string> {
  let made: Promise<string> | undefined
  stack.defer(async () => {
    if (made) await rm(await made, { recursive: true, force: true })
  })
  return () => (made ??= mkdtemp(join(tmpdir(), "carrel-sync-")))
}
