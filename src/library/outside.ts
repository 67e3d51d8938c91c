/** Where a caller may put files: nowhere that it does not see, whatever the acl. */
import { isNarrow, placed, type View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import type { Trx } from "../storage/database.ts"

/**
 * The context that files without one go to.
 * @throws AppError forbidden for one that the caller does not see, and for none where it sees several
 */
export function contextIn({ contexts }: View, given: string | null): string | null {
  if (!contexts || (given !== null && contexts.includes(given))) return given
  if (given === null && contexts.length === 1) return contexts[0]!
  throw new AppError("forbidden", {
    message:
      given === null ? "context_id: the key has none or several, name one of them" : "the context is not the key's",
  })
}

/**
 * To be called in the transaction that wrote these files.
 * @throws AppError forbidden where one of them lies outside of what the caller sees
 */
export async function refuseOutside(trx: Trx, view: View, fileIds: readonly string[]): Promise<void> {
  const ids = [...new Set(fileIds)]
  if (!isNarrow(view) || ids.length === 0) return
  const { inside } = await trx
    .selectFrom("files")
    .select(({ fn }) => fn.countAll<number>().as("inside"))
    .where("id", "in", ids)
    .where(placed(trx, view))
    .executeTakeFirstOrThrow()
  if (Number(inside) < ids.length)
    throw new AppError("forbidden", { message: "the file would lie outside of what the key may see" })
}
