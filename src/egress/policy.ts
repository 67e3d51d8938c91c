/** Who may be reached without being listed. */
import type { AddressKind } from "./addresses.ts"
import type { AllowList } from "./allow-list.ts"

export interface Policy {
  allow: AllowList
  /** Kinds of addresses that need no entry in the list. */
  free: readonly AddressKind[]
  /** Names that are not listed are not even looked up. */
  offline: boolean
  /** The setting that allows more, for hints. */
  setting: string
}

/** Pages, and sources: what the internet shows to everybody. Under --offline nothing but what is listed. */
export const fetchPolicy = (allow: AllowList, offline: boolean): Policy => ({
  ...{ allow, offline },
  free: offline ? [] : ["public"],
  setting: "--fetch-allow",
})

/**
 * Receivers of events: they are told what happens here, and so stand in the own network unless they are listed; under
 * --offline on this machine.
 */
export const webhookPolicy = (allow: AllowList, offline: boolean): Policy => ({
  ...{ allow, offline },
  free: offline ? ["loopback"] : ["loopback", "private"],
  setting: "--webhook-allow",
})
