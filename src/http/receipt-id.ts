import type { Answer } from "./operation.ts"

/** Names the receipt that says when what was deleted is gone from every store. */
export const RECEIPT_ID = "X-Receipt-Id"

export const DELETED = {
  description: "Deleted; the receipt that `X-Receipt-Id` names is written when no store has it any more",
  hasReceipt: true,
} as const satisfies Answer
