/**
 * Runs as the API knows them: accepted, waited for or left alone, cancelled, read again, taken up after a crash.
 *
 * A run is `running` from its acceptance, also while it waits for its turn; it is shown as `waiting_for_approval` while a
 * person is to allow one of its calls, and then neither holds a place nor spends its time. Where its daemon ends meanwhile it
 * waits on, and goes on at the next start or on another node (`take-up.ts`). It leaves that state once:
 * `completed` (answer or max_steps), `failed` (model, schema, inner error, interruption), `timed_out` (the deadline,
 * which counts from acceptance) or `cancelled` (by request, or because the client of a blocking call went away).
 * Leaving aborts the model request and every tool at once and does not wait for them.
 */

import { endUserOf } from "../access/end-user.ts"
import { onlyShared } from "../access/shares.ts"
import { repetitionKey, type View } from "../access/view.ts"
import { whileSeen } from "../access/while-seen.ts"
import type { Account } from "../account.ts"
import { AppError } from "../errors.ts"
import { storeAgain } from "../grounding/store-again.ts"
import { underGuard } from "../grounding/under-guard.ts"
import type { Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import type { Peers } from "../nodes/peers.ts"
import type { Trx } from "../storage/database.ts"
import { type Idempotency, type IdempotentRequest, requestHash } from "../storage/idempotency.ts"
import { Gate } from "../threads/gate.ts"
import { BUILTIN_TOOLS } from "../tools/index.ts"
import type { AnyTool } from "../tools/tool.ts"
import type { ApprovalRecord, Decision } from "./approval-record.ts"
import { type CarryDependencies, carryThrough, type Undertaking } from "./carry-through.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { answerOf, Ending, INTERRUPTED, noSuchRun, openStepResult } from "./endings.ts"
import type { ToolServer } from "./external-tools.ts"
import { LiveRun } from "./live-run.ts"
import { type LiveRuns, RunsHere } from "./live-runs.ts"
import { type Caller, type PrepareDependencies, prepareRun } from "./prepare.ts"
import { DEFAULT_TIMEOUT_SECONDS, type RunRequest } from "./request.ts"
import type { RunListRequest, RunLists } from "./run-lists.ts"
import { type RunEvent, type RunRecord, type RunSummary, toRunRecord } from "./run-record.ts"
import type { RunOutcome } from "./run-rows.ts"
import type { GivenUpRun } from "./run-store.ts"
import { RunsOverNodes } from "./runs-over-nodes.ts"
import { NO_PLACE, takeUp } from "./take-up.ts"

export interface AgentRunsDependencies extends PrepareDependencies, CarryDependencies {
  idempotency: Idempotency
  /** Runs that are carried out at the same time; further ones wait. */
  concurrency: number
  /** Runs that may wait; further ones are refused as `overloaded`. */
  maxWaiting: number
  /** The way to other nodes that carry out runs; absent on one machine. */
  peers?: Peers | undefined
}

export type RunCaller = Caller & { keyId: string }

export interface StartOptions {
  idempotencyKey?: string | undefined
  /** When the request came in; the deadline counts from here. */
  acceptedAt?: Date
}

export class AgentRuns {
  /** Those that this process carries out. */
  readonly here: RunsHere
  /** Those that anybody carries out. */
  private readonly live: LiveRuns
  private readonly queue: Gate
  private stopping = false

  constructor(private readonly dependencies: AgentRunsDependencies) {
    const { store, peers } = dependencies
    this.here = new RunsHere(store, peers !== undefined)
    this.live = peers ? new RunsOverNodes(this.here, store, peers, () => this.recover()) : this.here
    this.queue = new Gate({
      places: dependencies.concurrency,
      waiting: dependencies.maxWaiting,
      refusal: "too many agent runs are waiting already",
      retryAfterSeconds: 10, // runs differ too much to know
    })
  }

  /** Runs by page and by cursor. */
  get lists(): RunLists {
    return this.dependencies.store.lists
  }

  /** What a run may be given now: the daemon's own tools, then those of external servers that answer. */
  async tools(): Promise<AnyTool[]> {
    return [...BUILTIN_TOOLS, ...((await this.dependencies.external?.tools()) ?? [])]
  }

  /** The external servers that the daemon knows, after a look at each. */
  toolServers(): Promise<ToolServer[]> {
    return this.dependencies.external?.servers() ?? Promise.resolve([])
  }

  /** For metrics. */
  get load(): { running: number; waiting: number } {
    return this.queue.load
  }

  /**
   * Looks after the runs of nodes that have ended: those that wait for a person wait here from now on, the others have failed.
   * @returns ids of those that failed by this call
   */
  async recover(): Promise<string[]> {
    const { store } = this.dependencies
    const failed: string[] = []
    if (this.stopping) return failed
    for (const run of await store.givenUp()) {
      if (run.waits && (await this.takeOver(run))) continue
      if (await store.fail(run, INTERRUPTED)) failed.push(run.id)
    }
    return failed
  }

  /**
   * Accepts a run and answers at once; the run goes on by itself.
   * @throws AppError for a request that cannot be run, or overloaded
   */
  async startDetached(caller: RunCaller, request: RunRequest, options: StartOptions = {}): Promise<RunRecord> {
    const id = await this.start(caller, request, options, new AbortController().signal)
    await this.live.detach(id)
    return this.get(caller.view, id)
  }

  /**
   * Runs to the end. The run is cancelled when `signal` aborts and nobody else waits for it.
   * @returns the completed or cancelled run
   * @throws AppError agent_timeout, output_schema_violation, model_error …, each with `details[0].run_id`
   */
  async runToEnd(
    caller: RunCaller,
    request: RunRequest,
    signal: AbortSignal,
    options: StartOptions = {},
  ): Promise<RunRecord> {
    const id = await this.start(caller, request, options, signal)
    await this.live.wait(id, signal)
    return answerOf(await this.get(caller.view, id))
  }

  /** @throws AppError not_found, also for a run that the caller does not see */
  async get(view: View, runId: string): Promise<RunRecord> {
    const found = await this.find(view, runId)
    return toRunRecord(found)
  }

  list(view: View, request: RunListRequest): Promise<{ data: RunSummary[]; total: number }> {
    return this.lists.page(view, request)
  }

  /**
   * Lets a call be carried out, or not. The same decision again is answered alike.
   * @throws AppError not_found; conflict where it was decided otherwise, has expired, or the run has ended
   */
  async decide(
    view: View,
    runId: string,
    approvalId: string,
    { decision, reason }: { decision: Decision; reason?: string },
  ): Promise<ApprovalRecord> {
    const { row } = await this.findOwn(view, runId)
    const { isGivenUp } = await this.dependencies.store.ownerOf(runId)
    if (isGivenUp) await this.recover()
    // Under redaction nothing of a run is stored as it came, what people say of it included.
    const isRedacted: boolean = JSON.parse(row.request).redaction
    const said = await underGuard(this.dependencies, row.workspace_id, isRedacted, async guard =>
      reason === undefined ? null : await guard.text(reason),
    )
    const decided = await this.dependencies.store.approvals.decide(view, runId, approvalId, decision, said)
    this.here.all.find(({ id }) => id === runId)?.notify()
    return decided
  }

  /** Ends a run that is running; one that has ended stays as it is. */
  async cancel(view: View, runId: string): Promise<RunRecord> {
    await this.findOwn(view, runId)
    await this.live.cancel(runId)
    return this.get(view, runId)
  }

  /**
   * Removes a run with its steps. One that is running is not ended by that: its caller may be waiting for it.
   * @param receipt an open one that several removals share
   * @returns id of the receipt that says when it is gone
   * @throws AppError not_found; on_hold; conflict while it is running
   */
  async delete(view: View, runId: string, receipt?: string): Promise<string> {
    await this.findOwn(view, runId)
    const receiptId = await this.dependencies.store.delete(view, runId, receipt)
    if (receiptId !== undefined) return receiptId
    throw new AppError("conflict", { message: "the run is still running: cancel it before deleting it" })
  }

  /** By a rule that finds it due. @throws as `RunStore.delete` */
  async expire(
    view: View,
    runId: string,
    { receipt, check }: { receipt: string; check(trx: Trx): Promise<void> },
  ): Promise<void> {
    await this.dependencies.store.delete(view, runId, receipt, check)
  }

  /** The events after number `after`, from the rows, then as they come; ends with `done`. */
  async *follow(view: View, runId: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const { row } = await this.find(view, runId)
    const follow = (signal: AbortSignal) => this.live.follow(runId, after, signal)
    if (Number(row.shared) === 0) return yield* follow(signal)
    const isSeen = () => this.dependencies.store.isSeen(view, runId)
    for await (const event of whileSeen(follow, isSeen, signal))
      yield event.event === "run_finished" ? { ...event, data: { ...event.data, shared: true } } : event
  }

  /** Takes no more runs, lets the running ones finish within `graceMs`, then ends the rest as interrupted. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true
    // A person may take longer than the daemon can wait.
    const leave = () => Promise.all(this.here.all.filter(run => run.pace.isPaused).map(run => this.here.leave(run)))
    await leave()
    await Promise.race([Promise.all(this.here.all.map(run => run.ended)), Bun.sleep(graceMs)])
    await leave()
    await Promise.all(this.here.all.map(run => this.here.end(run, "interrupted")))
  }

  /** Ends what is carried out here: this node was taken for dead, and nothing of it counts any more. What waits is taken over. */
  abandon(): void {
    for (const { abort, pace } of this.here.all) abort.abort(new Ending(pace.isPaused ? "left" : "interrupted"))
  }

  /** @returns the id of the new run, or of the one that the idempotency key started before */
  private start(
    caller: RunCaller,
    request: RunRequest,
    { idempotencyKey: key, acceptedAt = new Date() }: StartOptions,
    signal: AbortSignal,
  ): Promise<string> {
    const { view } = caller
    const repetition: IdempotentRequest | undefined =
      key === undefined
        ? undefined
        : {
            workspaceId: view.workspaceId,
            operation: "run",
            key: repetitionKey(view, key),
            hash: requestHash(request),
          }
    return this.dependencies.idempotency.once(
      repetition,
      () => this.startNew(caller, request, acceptedAt, repetition, signal),
      async runId => runId,
    )
  }

  private async startNew(
    caller: RunCaller,
    request: RunRequest,
    startedAt: Date,
    repetition: IdempotentRequest | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    if (this.stopping) throw new AppError("overloaded", { message: "the daemon is stopping", retryAfter: 5 })
    const deadlineAt = new Date(startedAt.getTime() + (request.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000)
    // By the clock that nobody sets: one that steps forward meanwhile would end the run at its beginning.
    const endsAt = performance.now() + deadlineAt.getTime() - Date.now()
    const endUser = endUserOf(caller.view, request.end_user)
    const prepared = await prepareRun(caller, request, this.dependencies, signal)
    const ticket = this.queue.enter(caller.keyId)
    const { keyId, view } = caller
    try {
      const run = { view, keyId, endUser, described: prepared.row, startedAt, deadlineAt }
      const id = await this.dependencies.store.insert(run, repetition)
      const begin = (live: LiveRun) => live.pace.turn(live.abort.signal).then(() => ({ ready: prepared }))
      const { guard, input } = prepared
      const live = new LiveRun(id, ticket, endsAt - performance.now(), () => this.queue.enter(keyId))
      this.launch(live, { guard, account: input.model.account, begin })
      return id
    } catch (error) {
      ticket.leave()
      throw error
    }
  }

  /** @returns false for one that cannot go on */
  private async takeOver(given: GivenUpRun): Promise<boolean> {
    const { store } = this.dependencies
    const { id } = given
    if (this.here.has(id)) return true // of a membership that is lost: it is let go first
    const found = await store.find(id)
    if (!found?.row.checkpoint) return false
    const checkpoint: Checkpoint = JSON.parse(found.row.checkpoint)
    const undertaking = await takeUp(found, checkpoint, this.dependencies).catch(error => {
      if (!(error instanceof AppError)) throw error
      log.error("a run that waited cannot go on", { run_id: id, error })
    })
    if (!undertaking) return false
    if (!(await store.takeOver(given))) return true // by another node
    const run = new LiveRun(id, NO_PLACE, checkpoint.leftMs, () => this.queue.enter(found.row.key_id))
    run.park()
    this.launch(run, undertaking)
    return true
  }

  private launch(run: LiveRun, undertaking: Undertaking): void {
    this.here.add(run)
    run.ended = carryThrough(run, undertaking, this.dependencies)
      .then(outcome => outcome && this.finish(run.id, outcome, undertaking.account))
      .finally(() => {
        run.pace.end()
        this.here.remove(run)
      })
    run.ended.catch(error => log.error("an agent run could not be recorded", { run_id: run.id, error }))
  }

  /** @throws when the end cannot be stored now; it is tried again in the background */
  private async finish(id: string, outcome: Guarded<RunOutcome>, account: Account): Promise<void> {
    const store = () => this.dependencies.store.finish(id, outcome, account, openStepResult(outcome.finishReason))
    try {
      await store()
    } catch (error) {
      storeAgain(store, error)
      throw error
    }
  }

  /** @throws AppError not_found; forbidden where it is only shared with the caller */
  private async findOwn(view: View, runId: string) {
    const found = await this.find(view, runId)
    if (Number(found.row.shared) === 1) throw onlyShared()
    return found
  }

  private async find(view: View, runId: string) {
    const found = await this.dependencies.store.find(runId, view)
    if (!found) throw noSuchRun()
    return found
  }
}
