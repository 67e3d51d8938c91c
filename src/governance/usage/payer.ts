/** Whose use a caller's work is. */
import type { View } from "../../access/view.ts"
import type { Payer } from "../../account.ts"
import type { PayerColumns } from "../../storage/usage.ts"

/** What a piece of work says of itself, beside its caller. */
export interface ForWhom {
  endUser?: string | null | undefined
  contextId?: string | null | undefined
}

export function payerOf({ workspaceId, author }: View, { endUser, contextId }: ForWhom = {}): Payer {
  return {
    workspaceId,
    keyId: author?.type === "key" ? author.id : "",
    userId: author?.type === "user" ? author.id : "",
    maker: author?.maker ?? "",
    endUser: endUser ?? author?.endUser ?? "",
    contextId: contextId ?? "",
  }
}

/** Of a file that the caller brings. */
export const payerColumns = ({ author }: View): PayerColumns => ({
  payer_key: author?.type === "key" ? author.id : null,
  payer_user: author?.type === "user" ? author.id : null,
  payer_maker: author?.maker ?? null,
  payer_end_user: author?.endUser ?? null,
})

/** Whose use what is done with a file is. */
export const payerOfFile = (file: PayerColumns & { workspace_id: string; context_id: string | null }): Payer => ({
  workspaceId: file.workspace_id,
  keyId: file.payer_key ?? "",
  userId: file.payer_user ?? "",
  maker: file.payer_maker ?? "",
  endUser: file.payer_end_user ?? "",
  contextId: file.context_id ?? "",
})
