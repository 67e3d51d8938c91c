/**
 * What everybody uses, counted exactly. What belongs to a change of the database is counted in its transaction
 * (`entries.ts`), or by triggers where it is bytes of files; all else is noted in this node's journal (`journal.ts`). Both
 * are folded into hours every second (`fold.ts`), and read from there and from what is not folded yet (`report.ts`).
 */
import type { View } from "../../access/view.ts"
import { Account, type ModelUsage, type Payer } from "../../account.ts"
import { Trouble } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { leftIn, removeLeft } from "../journal-file.ts"
import { type Measured, rowOf } from "./entries.ts"
import { countedOf, fold, lineOf } from "./fold.ts"
import { Journal, type Noted, readLeft } from "./journal.ts"
import { type ForWhom, payerOf } from "./payer.ts"
import { Quotas } from "./quotas.ts"
import { readUsage, type UsageQuery, type UsageRecord } from "./report.ts"

const FOLD_MS = 1_000
const HOUR_MS = 3_600_000

export interface UsageOptions {
  /** Where this node keeps its journal. */
  directory: string
}

export class Usage implements AsyncDisposable {
  private readonly journal: Journal
  private readonly quotas: Quotas
  private readonly timer: ReturnType<typeof setInterval>
  /** Of each view the line of a request in this hour: making it takes longer than noting it. */
  private readonly requests = new WeakMap<View, { hour: number; line: string }>()
  private folding: Promise<void> = Promise.resolve()
  /** What is being folded; where that failed, it may be folded or not: the database refused when it was told to commit. */
  private taken: Noted | undefined
  /** A journal that is folded and removed; its row goes with the next one. */
  private gone: string | undefined
  private readonly trouble = new Trouble({ begins: "what was used cannot be added up yet" })

  private constructor(
    private readonly database: Database,
    { directory }: UsageOptions,
  ) {
    this.journal = new Journal(directory)
    this.quotas = new Quotas(database, () => this.fold())
    this.timer = setInterval(() => void this.fold().catch(error => this.trouble.note(error)), FOLD_MS)
    this.timer.unref()
  }

  /** Counts first what a process noted that was killed. */
  static async open(database: Database, options: UsageOptions): Promise<Usage> {
    for (const id of leftIn(options.directory)) {
      await fold(database, readLeft(options.directory, id, await countedOf(database, id)), undefined)
      removeLeft(options.directory, id)
      await fold(database, undefined, id)
    }
    return new Usage(database, options)
  }

  /** Opens an account for work that asks models. @throws AppError quota_exceeded */
  async account(view: View, who: ForWhom = {}): Promise<Account> {
    await this.quotas.needTokens(view)
    return new Account(payerOf(view, who))
  }

  /** The account of work that goes on: no quota stops what was begun. */
  reopen(view: View, who: ForWhom, spent: ModelUsage): Account {
    return new Account(payerOf(view, who), spent)
  }

  /** Counts what an answer that nobody stores took, before it is given. @param usage as the answer says it */
  settle({ payer, model }: Account, { prompt_tokens, completion_tokens }: ModelUsage): void {
    this.note({ ...payer, model }, { prompt_tokens, completion_tokens })
  }

  /** A request of these credentials that no limit refuses. */
  countRequest(view: View): void {
    const at = new Date()
    const hour = at.getTime() - (at.getTime() % HOUR_MS)
    let known = this.requests.get(view)
    if (known?.hour !== hour) {
      known = { hour, line: lineOf(rowOf(payerOf(view), { requests: 1 }, at)) }
      this.requests.set(view, known)
    }
    this.journal.note(known.line)
  }

  /** Counts a request of a key. @param limit its quota of a day. @throws AppError quota_exceeded: it is not counted then */
  async takeRequest(view: View, keyId: string, limit: number | undefined): Promise<void> {
    if (limit === undefined) this.quotas.forget(keyId)
    else await this.quotas.takeRequest({ workspaceId: view.workspaceId, keyId, limit })
    this.countRequest(view)
  }

  countSearch(view: View, searches: 0 | 1, queryTokens: number): void {
    this.note(payerOf(view), { searches, embedded_tokens: queryTokens })
  }

  /** Tokens that another model than one for chats has read for a caller, as the answer says. */
  countEmbedded(view: View, tokens: number): void {
    this.note(payerOf(view), { embedded_tokens: tokens })
  }

  /** Before such a model is asked. @throws AppError quota_exceeded */
  needTokens(view: View): Promise<void> {
    return this.quotas.needTokens(view)
  }

  async read(view: View, query: UsageQuery): Promise<UsageRecord[]> {
    await this.fold()
    return readUsage(this.database, view, query)
  }

  /** Bytes that are noted and not yet in the database. */
  get pendingBytes(): number {
    return this.journal.pendingBytes + (this.taken?.bytes ?? 0)
  }

  /** Settles when all is in the hours that was counted here before. @throws what the database refuses with */
  fold(): Promise<void> {
    this.folding = this.folding.catch(() => {}).then(() => this.foldNow())
    return this.folding
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer)
    await this.fold()
      .then(() => fold(this.database, undefined, this.gone))
      .catch(error => this.trouble.note(error)) // the next start finds the journal
    this.journal.close()
  }

  private note(payer: Payer & { model?: string }, measured: Measured): void {
    this.journal.note(lineOf(rowOf(payer, measured)))
  }

  private async foldNow(): Promise<void> {
    const { taken } = this
    if (taken && (await countedOf(this.database, taken.id)) < taken.bytes) await this.foldTaken(taken)
    else if (taken) this.folded(taken)
    const noted = this.journal.take()
    if (noted.lines.size > 0) this.taken = noted
    await this.foldTaken(noted)
    this.trouble.clear()
  }

  private async foldTaken(noted: Noted): Promise<void> {
    await fold(this.database, noted, this.gone)
    this.gone = undefined
    this.folded(noted)
  }

  private folded({ id, remove }: Noted): void {
    this.taken = undefined
    if (!remove) return
    try {
      remove()
      this.gone = id
    } catch (error) {
      this.trouble.note(error) // its row stays, by which the next start knows that it is counted
    }
  }
}
