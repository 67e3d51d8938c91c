/** What the fields of one query work with. */
import type { Principal } from "../../access/principal.ts"
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import type { Linked } from "../linked.ts"
import type { GraphqlHouse } from "./call.ts"
import type { Loaders } from "./loaders.ts"

export interface Asked {
  house: GraphqlHouse
  principal: Principal
  view: View
  linked: Linked
  loaders: Loaders
  /** Aborts when whoever waits for the answer is gone. */
  signal: AbortSignal
  requestId: string
  /** Files whose text was read, for the audit log. */
  read: Set<string>
  /** Ids that were asked for and are not there for the caller, with what they would be of; likewise. */
  missed: Map<string, Missable>
}

type Missable = "file" | "conversation" | "run"

/** What was loaded by its id. @throws AppError not_found, which the audit log is told of */
export function there<Found>(found: Found | undefined, kind: Missable, id: string, { missed }: Asked): Found {
  if (found) return found
  missed.set(id, kind)
  throw new AppError("not_found", { message: `there is no such ${kind}` })
}
