/** Whom a request of `/v1` is for. */
import { endUserOf } from "../../access/end-user.ts"
import type { View } from "../../access/view.ts"

/** `safety_identifier` is what `user` is called by now; clients send either, or both. */
interface Named {
  user?: string | null
  safety_identifier?: string | null
}

/** Undefined where none is named. @throws AppError forbidden where either differs from the one whom the token fixes; invalid_request */
export function endUserIn(view: View, { user, safety_identifier: identifier }: Named): string | undefined {
  for (const named of [user, identifier]) endUserOf(view, named || undefined)
  return identifier || user || undefined
}
