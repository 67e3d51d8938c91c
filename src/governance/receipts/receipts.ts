/** Receipts as their users see them. */
import { ownedBy } from "../../access/owner.ts"
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import type { Database } from "../../storage/database.ts"
import type { ReceiptsTable } from "../../storage/receipts.ts"
import { nameDigest } from "./names.ts"
import type { Receipt, ReceiptKey, ReceiptSigner } from "./receipt.ts"

export interface ReceiptListRequest {
  /** Id of something that was removed, or the name of an end user. */
  resource?: string | undefined
  page: number
  pageSize: number
}

/** How soon it is worth to ask again: what is small leaves within some seconds. */
const RETRY_S = 5

export class Receipts {
  constructor(
    private readonly database: Database,
    private readonly signer: ReceiptSigner,
  ) {}

  get key(): ReceiptKey {
    return this.signer.key
  }

  /** @throws AppError not_found, also while it is to be written: then it says when to ask again */
  async get(view: View, id: string): Promise<Receipt> {
    const row = await this.database
      .selectFrom("receipts")
      .select("receipt")
      .where("id", "=", id)
      .where(ownedBy(view, "receipts"))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found", { message: "there is no such receipt" })
    if (row.receipt === null)
      throw new AppError("not_found", {
        message: "the receipt is under way: it is written when no store has any of what was deleted",
        retryAfter: RETRY_S,
      })
    return read(row.receipt)
  }

  /** Those that are written, the newest first. */
  async list(
    view: View,
    { resource, page, pageSize }: ReceiptListRequest,
  ): Promise<{ data: Receipt[]; total: number }> {
    let query = this.database.selectFrom("receipts").where(ownedBy(view, "receipts")).where("receipt", "is not", null)
    if (resource !== undefined)
      query = query.where("id", "in", eb =>
        eb
          .selectFrom("removals")
          .select("receipt_id")
          .where("resource_id", "in", [resource, nameDigest(resource)]),
      )
    const { total } = await query.select(eb => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await query
      .select("receipt")
      .orderBy("id", "desc")
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute()
    return { data: rows.map(({ receipt }) => read(receipt!)), total: Number(total) }
  }
}

const read = (receipt: NonNullable<ReceiptsTable["receipt"]>): Receipt => JSON.parse(receipt) as Receipt
