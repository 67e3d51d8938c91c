/** What the route of end users takes and answers. */
import { t } from "elysia"
import { operation } from "../operation.ts"

export const eraseEndUser = operation({
  id: "eraseEndUser",
  scope: "retention",
  audit: { action: "end_user.erase", id: "answer.receipt_id" },
  held: "refused",
  summary: "Erase an end user",
  description: `Removes the conversations, runs and batches of that end user, with what these came in and went out by, and takes the name out of what stays, such as events and figures of usage. Tokens that are fixed to the end user end at once. Goes
on in the background, also over a restart; the receipt says when all is gone, and holds the SHA-256 of the name, not the name.
Calling it again changes nothing. Only for administrators, and for keys that nothing narrows.`,
  tag: "Receipts",
  params: t.Object({ end_user: t.String() }),
  answers: {
    202: {
      description: "It is under way",
      schema: t.Object({ receipt_id: t.String({ examples: ["rcpt_01m7y48vkz3s85f1acdta2"] }) }),
    },
  },
  errors: ["invalid_request"],
})
