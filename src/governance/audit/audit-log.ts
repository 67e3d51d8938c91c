/**
 * Writes the audit log. Whoever appends may answer once it has returned: no kill takes the rows any more. In the daemon they
 * lie in a journal of its data directory then (`row-journal.ts`), and are committed together a moment later, so that no
 * answer waits for the database because of its row; in a command, which has no journal, they are committed.
 */
import { Trouble } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { secretNamed } from "../../storage/secrets.ts"
import type { Anchors } from "./anchors.ts"
import { ChainWriter, type Together } from "./chain-writer.ts"
import type { Chains } from "./ends.ts"
import { type AuditEntry, rowOf } from "./entry.ts"
import { RowJournal, takeIn } from "./row-journal.ts"

/** Rows of so long are committed together; others see them after that, at the latest. */
const FOLD_MS = 100
/** Between two looks for rows that came with changes (`pending.ts`). */
const LOOK_MS = 1_000
/** Noted and not committed: beyond, who appends waits for the commit. */
const MAX_JOURNAL_BYTES = 16 * 2 ** 20

export class AuditLog implements AsyncDisposable {
  private journal: RowJournal | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private looks: ReturnType<typeof setInterval> | undefined
  private folding: Promise<void> = Promise.resolve()
  /** The database refused rows, and may have them all the same. */
  private isBehind = false
  private readonly trouble = new Trouble({
    begins: "rows of the audit log cannot be committed; what they tell of fails",
  })

  private constructor(private readonly writer: ChainWriter) {}

  /** For a command: what is appended is committed. */
  static async open(database: Database, anchors: Anchors): Promise<AuditLog> {
    return new AuditLog(new ChainWriter(database, anchors, await secretNamed(database, "audit")))
  }

  /**
   * The log of the daemon, with what is to be told of its arrival: records that were restored or moved are anchored anew,
   * where they end, and a row of each workspace says so. What a killed daemon has noted is committed first.
   * @param directory of this node's journal
   */
  static async openArrived(database: Database, anchors: Anchors, directory: string): Promise<AuditLog> {
    const audit = await AuditLog.open(database, anchors)
    await audit.tellArrival()
    await takeIn(directory, noted => audit.writer.append(noted, true))
    audit.journal = new RowJournal(directory)
    audit.looks = setInterval(() => void audit.settled().catch(error => audit.trouble.note(error)), LOOK_MS)
    audit.looks.unref()
    return audit
  }

  get chains(): Chains {
    return this.writer
  }

  private async tellArrival(): Promise<void> {
    const { database, anchors } = this.writer
    const action = await anchors.arrival(database)
    if (!action) return
    const workspaces = await database.selectFrom("workspaces").select("id").execute()
    for (const { id } of workspaces) await this.writer.anchorAnew(id)
    const actor = { type: "command", id: null, name: `carrel ${action.split(".")[1]}` } as const
    await this.append(...workspaces.map(({ id }) => ({ workspaceId: id, action, outcome: "success" as const, actor })))
    await anchors.forgetArrival(database)
  }

  /** @throws where they cannot be noted, or could not be committed: what they tell of is not to be answered then */
  append(...entries: AuditEntry[]): Promise<void> {
    const ts = new Date().toISOString()
    return this.write({ rows: entries.map(entry => rowOf(entry, ts)), strangers: 0 })
  }

  /** One more refusal that names nobody; takes as long as `append`, so that nobody can tell names that exist by the time. */
  countStranger(): Promise<void> {
    return this.write({ rows: [], strangers: 1 })
  }

  private async write(told: Together): Promise<void> {
    if (told.rows.length === 0 && told.strangers === 0) return
    if (this.journal && (this.isBehind || this.journal.bytes > MAX_JOURNAL_BYTES)) await this.settled()
    if (!this.journal) return this.writer.append(told)
    this.journal.note(told)
    this.foldSoon()
  }

  private foldSoon(): void {
    this.timer ??= setTimeout(() => void this.settled().catch(error => this.trouble.note(error)), FOLD_MS)
  }

  /** Settles when all is in its chain that was appended before, or came with a change. @throws what the database refuses with */
  settled(): Promise<void> {
    this.folding = this.folding.catch(() => {}).then(() => this.fold())
    return this.folding
  }

  private async fold(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    await this.foldJournal()
    await this.writer.takePending()
    this.trouble.clear()
  }

  private async foldJournal(): Promise<void> {
    const noted = this.journal?.take()
    if (!noted) return
    try {
      await this.writer.append(noted, this.isBehind)
    } catch (error) {
      this.isBehind = true
      this.journal?.giveBack(noted)
      this.foldSoon()
      throw error
    }
    this.isBehind = false
    this.journal?.done(noted)
  }

  /** What cannot be committed stays in the journal, for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.looks)
    await this.settled().catch(error => this.trouble.note(error))
    clearTimeout(this.timer)
    this.journal?.close()
    this.journal = undefined
  }

  /** How many rows `forgetBefore` would remove. */
  countBefore(workspaceId: string, before: string): Promise<number> {
    return this.writer.countBefore(workspaceId, before)
  }

  /**
   * Removes the rows of a workspace that are older than `before`, but never the newest; a row of the log says so, and the rest
   * can be verified as before.
   * @param before ISO-8601
   * @returns how many were removed
   */
  async forgetBefore(workspaceId: string, before: string): Promise<number> {
    const removed = await this.writer.forget(workspaceId, before)
    if (removed > 0)
      await this.append({
        workspaceId,
        action: "audit.forget",
        outcome: "success",
        actor: { type: "system", id: null },
        details: { rows: removed, before },
      })
    return removed
  }
}
