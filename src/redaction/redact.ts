/**
 * The one chokepoint around every model call: prompts, passages and tool results on their way in, everything that a
 * model writes on its way out. Detection lives in scan.ts; this is what other rooms use.
 */
import type { EntityModel } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import { redactions } from "../metrics.ts"
import { Turns } from "../threads/turns.ts"
import { countByKind, type Entity, replacementOf } from "./kinds.ts"
import { PatternThread } from "./pattern-thread.ts"
import type { RedactionPolicy } from "./policy.ts"
import { Scan } from "./scan.ts"
import { RedactionStream } from "./stream.ts"

export type { CustomPattern } from "./custom-pattern.ts"
export { countByKind, type Entity, replacementOf } from "./kinds.ts"
export { asksForRedaction, keptRedaction, parseRedaction, type RedactionPolicy } from "./policy.ts"
export { BUILT_IN_KINDS, type BuiltInKind, KINDS } from "./recognizers/index.ts"
export { PARTIAL_REDACTION } from "./scripts.ts"
export { RedactionStream } from "./stream.ts"

/** Longest stretch of work on the event loop while a JSON value is walked. */
const SLICE_MS = 8

export interface Redacted {
  text: string
  /** By position; offsets count in the given text. */
  entities: Entity[]
  /** The text holds writing in which names and addresses are not known; answers warn with PARTIAL_REDACTION. */
  partial: boolean
}

export class Redactor {
  private readonly entityModel: Promise<EntityModel | undefined>
  private modelError: unknown
  private readonly patterns = new PatternThread()

  /** `entityModel` may still be loading. If it fails to load, requests for NAME or ADDRESS fail; nothing passes unseen. */
  constructor(deps: { entityModel: EntityModel | undefined | Promise<EntityModel | undefined> }) {
    this.entityModel = Promise.resolve(deps.entityModel).catch(error => {
      this.modelError = error
      log.error("the entity model did not load", { error })
      return undefined
    })
  }

  /**
   * @param signal ends the search: nobody waits for it any more
   * @throws AppError model_unavailable where the policy needs the entity model and there is none; overloaded and
   * invalid_pattern, where custom patterns have too much to do
   */
  async redact(text: string, policy: RedactionPolicy, signal?: AbortSignal): Promise<Redacted> {
    const scan = await this.scanFor(policy, signal)
    const { entities } = await scan.advance(text, true)
    return { text: replaceAll(text, entities), entities, partial: scan.partial }
  }

  close(): void {
    this.patterns.close()
  }

  stream(policy: RedactionPolicy): RedactionStream {
    return new RedactionStream(this.scanFor(policy))
  }

  /**
   * All strings inside a JSON value: tool arguments, structured output. A number that is private becomes its
   * replacement. Keys are redacted as well unless they are `kept`; those that become equal are numbered.
   */
  async redactValue<T>(
    value: T,
    policy: RedactionPolicy,
    keys: "redacted" | "kept" = "redacted",
    signal?: AbortSignal,
  ): Promise<{ value: T; entities: Entity[]; partial: boolean }> {
    const all: Omit<Redacted, "text"> = { entities: [], partial: false }
    const turns = new Turns(SLICE_MS)
    const walk = async (part: unknown, key: string): Promise<unknown> => {
      // A value of a hundred thousand short members is many short searches, none of which gives way by itself.
      await turns.next()
      if (typeof part === "string" || typeof part === "number") return this.redactMember(part, key, policy, all, signal)
      if (typeof part !== "object" || part === null) return part
      if (Array.isArray(part)) {
        const items: unknown[] = []
        for (const item of part) items.push(await walk(item, key))
        return items
      }
      const members: [string, unknown][] = []
      for (const [name, member] of Object.entries(part)) {
        const shown = keys === "kept" ? name : ((await this.redactMember(name, "", policy, all, signal)) as string)
        members.push([shown, await walk(member, name)])
      }
      return objectOf(members)
    }
    return { value: (await walk(value, "")) as T, ...all }
  }

  /** `{"password": "hunter2"}` is judged as `password: hunter2`: the key is part of what the value means. */
  private async redactMember(
    part: string | number,
    key: string,
    policy: RedactionPolicy,
    all: Omit<Redacted, "text">,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const written = String(part)
    const label = key === "" ? "" : `${key}: `
    const { entities, partial } = await this.redact(label + written, policy, signal)
    all.partial ||= partial
    const own = entities
      .filter(entity => entity.end > label.length)
      .map(entity => ({ ...entity, start: Math.max(0, entity.start - label.length), end: entity.end - label.length }))
    if (own.length === 0) return part
    all.entities.push(...own)
    return replaceAll(written, own)
  }

  private async scanFor(policy: RedactionPolicy, signal?: AbortSignal): Promise<Scan> {
    if (!policy.kinds.includes("NAME") && !policy.kinds.includes("ADDRESS"))
      return new Scan(policy, undefined, this.patterns, signal)
    const model = await this.entityModel
    if (model) return new Scan(policy, model, this.patterns, signal)
    throw new AppError("model_unavailable", {
      message: "names and addresses cannot be redacted: the entity model is not loaded",
      hint: "run `carrel doctor`; or narrow the request with redaction.kinds to kinds other than NAME and ADDRESS",
      cause: this.modelError,
    })
  }
}

/** The audit line of a redaction, and its figures in /metrics: kinds and counts, never a value. */
export function auditRedaction(where: Record<string, unknown>, entities: readonly Entity[]): void {
  if (entities.length === 0) return
  const kinds = countByKind(entities)
  log.info("redacted", { audit: true, ...where, kinds })
  // Names of custom patterns are the caller's; as labels they would grow without bound.
  for (const { kind, category } of entities) redactions.inc({ kind: category === "custom" ? "CUSTOM" : kind })
}

/** An object of members whose names may have become equal: `[REDACTED_NAME]`, `[REDACTED_NAME] (2)`. */
export function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const numbered = (name: string): string => {
    let free = name
    while (taken.has(free)) {
      const count = (counts.get(name) ?? 1) + 1
      counts.set(name, count)
      free = `${name} (${count})`
    }
    taken.add(free)
    return free
  }
  return Object.fromEntries(members.map(([name, member]) => [numbered(name), member]))
}

function replaceAll(text: string, entities: readonly Entity[]): string {
  let result = ""
  let at = 0
  for (const entity of entities) {
    result += text.slice(at, entity.start) + replacementOf(entity.kind)
    at = entity.end
  }
  return result + text.slice(at)
}
