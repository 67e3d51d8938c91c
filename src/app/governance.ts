import { Holds } from "../governance/holds/holds.ts"
import type { Storage } from "./storage.ts"

export type GovernanceParts = ReturnType<typeof openGovernance>

/** What is kept, and for how long. */
export function openGovernance({ database }: Storage) {
  return { holds: new Holds(database) }
}
