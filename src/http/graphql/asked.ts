/** What the fields of one query work with. */
import type { Principal } from "../../access/principal.ts"
import type { View } from "../../access/view.ts"
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
  missed: Map<string, "file" | "conversation" | "run">
}
