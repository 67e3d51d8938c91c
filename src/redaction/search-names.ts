/** The search for names and addresses: by the entity model, by second thoughts about its finds, and by their form. */
import type { EntityModel, ModelEntity } from "../backends/backend.ts"
import type { Turns } from "../threads/turns.ts"
import { ClusterFinder, type Window } from "./clusters.ts"
import { withCompanions } from "./companions.ts"
import type { Entity } from "./kinds.ts"
import { uncovered } from "./overlap.ts"
import { plausibleFinds } from "./plausible.ts"
import { isMixedAddress } from "./plausible-address.ts"
import type { BuiltInKind } from "./recognizers/index.ts"
import { findNamesAndAddresses, isStreet, withPostcode } from "./recognizers/name-and-address.ts"
import type { ScannedText } from "./scanned-text.ts"
import { unreadStretches } from "./scripts.ts"
import { namesOfShortLines } from "./short-lines.ts"

/**
 * Windows of one text that the model is asked about at a time: it answers in the order in which it is asked, and takes 1 to 20 ms
 * for one. So the others wait a sixth of a second for each text that is searched, however long it is.
 */
const ASKED_AT_ONCE = 8

export class NameSearch {
  private readonly clusters = new ClusterFinder()

  /** @param kinds NAME, ADDRESS or both */
  constructor(
    private readonly kinds: ReadonlySet<BuiltInKind>,
    private readonly model: EntityModel,
    private readonly scanned: ScannedText,
    private readonly found: (entity: Entity) => void,
  ) {}

  /** Searches what is complete of the text so far; returns where the rest begins. */
  async advance(final: boolean, turns: Turns): Promise<number> {
    const { model, scanned } = this
    const windows: Window[] = []
    for (let done = false; !done; ) {
      const step = this.clusters.advance(scanned.text, scanned.base, final)
      windows.push(...step.windows)
      done = step.done
      if (!done) await turns.next()
    }
    const answers: ModelEntity[][] = []
    while (answers.length < windows.length) {
      await turns.next()
      const next = windows.slice(answers.length, answers.length + ASKED_AT_ONCE)
      answers.push(...(await Promise.all(next.map(({ start, end }) => model.find(scanned.slice(start, end))))))
    }
    for (const [index, window] of windows.entries()) {
      const around = scanned.slice(window.start, window.end)
      const finds = answers[index]!.map(found => withPostcode(found, around))
      for (const found of withCompanions(plausibleFinds(finds, around), around)) this.take(found, window)
      for (const found of findNamesAndAddresses(around)) this.take(found, window)
      for (const found of namesOfShortLines(around, window.start === 0)) this.take(found, window)
    }
    return this.clusters.pending
  }

  /** Only what lies in the window's cluster counts: the words around it have their own window, or none. */
  private take(found: ModelEntity, window: Window): void {
    const start = Math.max(window.start + found.start, window.clusterStart)
    const end = Math.min(window.start + found.end, window.clusterEnd)
    if (start >= end) return
    const whole = this.scanned.slice(start, end)
    const unread = found.kind === "ADDRESS" && isMixedAddress(whole) ? [] : unreadStretches(whole)
    const left = unread.map(part => ({ start: start + part.start, end: start + part.end }))
    for (const part of uncovered({ ...found, start, end }, left)) {
      const value = this.scanned.slice(part.start, part.end)
      const kind = found.kind === "NAME" && isStreet(value) ? "ADDRESS" : found.kind
      if (!this.kinds.has(kind) || isNothing(value)) continue
      this.found({ kind, category: "personal", start: part.start, end: part.end, score: found.score })
    }
  }
}

/** What is left of a find beyond the cluster's edge. */
const isNothing = (value: string): boolean =>
  !/\p{L}\p{M}*\p{L}|\p{Nd}{3}|\p{Lu}|\p{Script=Han}|\p{Script=Hangul}/u.test(value)
