/**
 * The one gate of a turn or a run towards everything that must not see private data: model, storage, caller, external
 * tools. What goes through a door is walked whole, by the table of its fields (`guarded.ts`), so that what was
 * forgotten on the way is still caught there. Without redaction everything passes as it is.
 */
import { createHash } from "node:crypto"
import { PROVIDERS } from "../backends/index.ts"
import { AppError, type ErrorCode, invalid } from "../errors.ts"
import type { Fields, Guarded } from "../guarded.ts"
import {
  auditRedaction,
  countByKind,
  type Entity,
  objectOf,
  type RedactionPolicy,
  type Redactor,
  replacementOf,
} from "../redaction/redact.ts"
import { CleanTexts } from "./clean-texts.ts"
import { type Visitors, walkFields } from "./field-walk.ts"
import { privateWords, withoutFragments } from "./fragments.ts"
import { KnownNames } from "./known-names.ts"

/** Text that arrives in deltas. */
export interface TextStream {
  push(delta: string): Promise<Guarded<string>> | Guarded<string>
  end(): Promise<Guarded<string>> | Guarded<string>
}

export type Redacting = Pick<Redactor, "redact" | "redactValue" | "stream">

/** Names in our own messages that a reader of names may take for a person's. */
const OWN_NAMES = ["carrel", ...PROVIDERS]
/** Numbers below it are kept as they are: no identifier of a person is shorter. */
const SHORT_NUMBER = 100_000

export class Guard {
  private readonly found: Entity[] = []
  private readonly streams: { entities: Entity[]; partial: boolean }[] = []
  private readonly names = new KnownNames()
  /** What came out of this guard, or was trusted: it is not searched again. */
  private readonly clean = new CleanTexts()
  /** What came of objects that go through a door again and again: every turn of a run sends the ones before. */
  private readonly passed = new WeakMap<object, unknown>()
  private readsPartly = false
  private waited: AbortSignal | undefined
  private readonly visitors: Visitors = {
    text: async text => this.clean.composed(text, async given => (await this.redact(given)).text),
    json: (value, keys) => this.passJson(value, keys),
    number: value => this.number(value),
  }

  /** Names the policy: what went through it before need not go again. A digest, for patterns may quote values. */
  readonly key: string | null

  /** @param policy null where nothing is redacted */
  constructor(
    private readonly redactor: Redacting,
    private readonly policy: RedactionPolicy | null,
  ) {
    this.key = policy && createHash("sha256").update(JSON.stringify(policy)).digest("hex")
  }

  /** What is searched in the course of `work` is given up with the signal, where the request's own patterns are searched for. */
  async whileWaited<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.waited = this.policy?.customPatterns.length ? signal : undefined
    try {
      return await work()
    } finally {
      this.waited = undefined
    }
  }

  get redacts(): boolean {
    return this.policy !== null
  }

  /** Some text so far holds writing in which names are not known; see PARTIAL_REDACTION. */
  get partial(): boolean {
    return this.readsPartly || this.streams.some(stream => stream.partial)
  }

  /** What is searched for, without the words of a caller's own rules; null where nothing is redacted. */
  get rules(): { kinds: readonly string[]; customPatterns: number; excluded: number } | null {
    if (!this.policy) return null
    const { kinds, customPatterns, exclude } = this.policy
    return { kinds, customPatterns: customPatterns.length, excluded: exclude.length }
  }

  /** What has been replaced and counted so far. */
  get entities(): readonly Entity[] {
    return [...this.found, ...this.streams.flatMap(({ entities }) => entities)]
  }

  get count(): number {
    return this.entities.length
  }

  get kinds(): Record<string, number> {
    return countByKind(this.entities)
  }

  audit(where: Record<string, unknown>): void {
    auditRedaction(where, this.entities)
  }

  /** The text with what is private replaced, which is counted. */
  async text(given: string): Promise<Guarded<string>> {
    const { text, entities } = await this.redact(given)
    this.found.push(...entities)
    return text
  }

  /**
   * Parts of one text, each as the whole of it shows them: of a value that the ends of a part cut through nothing is seen,
   * and what stands around the part is judged with it.
   */
  async window(given: string): Promise<(from: number, to: number) => Guarded<string>> {
    const { policy } = this
    if (!policy) return (from, to) => given.slice(from, to) as Guarded<string>
    const { entities, partial } = await this.redactor.redact(given, policy)
    for (const entity of entities) this.names.learn(given.slice(entity.start, entity.end), entity)
    this.readsPartly ||= partial
    this.found.push(...entities)
    const again = this.names.replaceIn(given).entities
    const all = [...entities, ...again].sort((left, right) => left.start - right.start || right.end - left.end)
    return (from, to) => {
      const text = replacedWithin(given, all, from, to)
      this.clean.add(text)
      return text as Guarded<string>
    }
  }

  /** Does not count: labels, and what was counted before. */
  async silently(given: string): Promise<Guarded<string>> {
    return (await this.redact(given)).text
  }

  /**
   * What is said about something given: a complaint may quote a part of a private value (`near "@example.com"`), which
   * alone would pass. Words that are parts of such a value are replaced as it is.
   */
  async textAbout(text: string, given: unknown): Promise<Guarded<string>> {
    const shown = await this.text(text)
    const { policy } = this
    if (!policy) return shown
    const hidden = await privateWords(given, async value => (await this.redactor.redact(value, policy)).entities)
    if (hidden.size === 0) return shown
    const whole = withoutFragments(shown, hidden)
    this.clean.add(whole)
    return whole as Guarded<string>
  }

  /** The same for JSON, its keys included. Keys that become equal are numbered: `[REDACTED_NAME] (2)`. */
  async value<T>(given: T): Promise<Guarded<T>> {
    const { value, entities } = await this.redactValue(given, "redacted")
    this.found.push(...entities)
    return value as Guarded<T>
  }

  /** JSON as one text. */
  async json(given: unknown): Promise<Guarded<string>> {
    const text = JSON.stringify(await this.value(given))
    this.trust(text)
    return text as Guarded<string>
  }

  stream(): TextStream {
    if (!this.policy) return OPEN_STREAM
    const stream = this.redactor.stream(this.policy)
    this.streams.push(stream)
    return stream as unknown as TextStream
  }

  /**
   * Takes texts and objects for clean: what the daemon's own code or its operator wrote, and what went through the same
   * policy before.
   */
  trust(...given: (string | object)[]): void {
    if (!this.policy) return
    for (const each of given)
      if (typeof each === "string") this.clean.add(each)
      else this.clean.addObject(each)
  }

  /** A record on its way through a door, every field as its table says; fields that are not in the table are left out. */
  async pass<T extends object>(record: T, fields: Fields<T>): Promise<Guarded<T>> {
    if (!this.policy) return record as Guarded<T>
    return (await walkFields(record, fields, this.visitors)) as Guarded<T>
  }

  /**
   * The outcome of a turn or a run, which must be stored whatever happens: where it cannot be searched (the reader of names
   * has failed), what `bare` leaves of it, with an error that says so.
   */
  async passOutcome<T extends object>(
    outcome: T,
    fields: Fields<T>,
    bare: (error: AppError) => T,
  ): Promise<Guarded<T>> {
    return this.pass(outcome, fields).catch(cause =>
      this.pass(bare(this.bareError("model_unavailable", cause)), fields),
    )
  }

  /**
   * An error as it may be shown, stored and logged: its words may be a model server's, or quote an answer. Where they
   * cannot be searched (the reader of names has failed, which may be the very error), its code is all that is told.
   */
  async error<E>(error: E): Promise<E | AppError> {
    if (!(error instanceof AppError) || !this.policy) return error
    return this.shownError(error, this.policy).catch(cause => this.bareError(error.code, cause))
  }

  /** An error that says no more than its code does. */
  private bareError(code: ErrorCode, cause: unknown): AppError {
    const bare = new AppError(code, { cause })
    this.trust(bare.message)
    return bare
  }

  private async shownError(error: AppError, given: RedactionPolicy): Promise<AppError> {
    const policy = { ...given, exclude: [...given.exclude, ...OWN_NAMES] }
    const shown = async (text: string) => (await this.redact(text, policy)).text
    const { code, message, hint, details, retryAfter, headers, cause } = error
    return new AppError(code, {
      message: await shown(message),
      ...(hint === undefined ? {} : { hint: await shown(hint) }),
      ...(details === undefined ? {} : { details: (await this.redactValue(details, "redacted")).value }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(headers === undefined ? {} : { headers }),
      cause,
    })
  }

  /**
   * Names that a later answer must repeat cannot be replaced: a request whose names are private is refused.
   * @throws AppError invalid_request naming the field and the kinds, never the name
   */
  async refusePrivateKeys(field: string, given: unknown): Promise<void> {
    if (!this.policy || given === null || typeof given !== "object") return
    for (const [name, inner] of Object.entries(given)) {
      if (!Array.isArray(given)) await this.refusePrivate(`${field}: the name of a property`, name)
      await this.refusePrivateKeys(field, inner)
    }
  }

  /** @throws AppError invalid_request naming the kinds that were found */
  async refusePrivate(field: string, given: string): Promise<void> {
    const { entities } = await this.redact(given)
    if (entities.length === 0) return
    const kinds = Object.keys(countByKind(entities)).join(", ")
    throw invalid(field, `holds what redaction hides (${kinds}); choose another name`)
  }

  private async redact(
    given: string,
    policy = this.policy,
  ): Promise<{ text: Guarded<string>; entities: readonly Entity[] }> {
    if (!policy || given === "" || this.clean.has(given)) return { text: given as Guarded<string>, entities: [] }
    const { text, entities, partial } = await this.redactor.redact(given, policy, this.waited)
    for (const entity of entities) this.names.learn(given.slice(entity.start, entity.end), entity)
    const again = this.names.replaceIn(text)
    this.readsPartly ||= partial
    this.clean.add(again.text)
    return { text: again.text as Guarded<string>, entities: [...entities, ...again.entities] }
  }

  private async redactValue<T>(given: T, keys: "redacted" | "kept"): Promise<{ value: T; entities: Entity[] }> {
    if (!this.policy) return { value: given, entities: [] }
    if (typeof given === "object" && given !== null && this.clean.hasObject(given))
      return { value: given, entities: [] }
    const { value, entities, partial } = await this.redactor.redactValue(given, this.policy, keys, this.waited)
    this.readsPartly ||= partial
    const replaced = mapStrings(value, text => {
      const again = this.names.replaceIn(text)
      entities.push(...again.entities)
      this.clean.add(again.text)
      return again.text
    })
    if (typeof replaced === "object" && replaced !== null) this.clean.addObject(replaced)
    return { value: replaced as T, entities }
  }

  private async passJson(value: unknown, keys: "redacted" | "kept"): Promise<unknown> {
    if (typeof value !== "object" || value === null) return (await this.redactValue(value, keys)).value
    const before = this.passed.get(value)
    if (before !== undefined) return before
    const { value: shown } = await this.redactValue(value, keys)
    this.passed.set(value, shown)
    return shown
  }

  private async number(value: number): Promise<number> {
    if (!this.policy || Math.abs(value) < SHORT_NUMBER) return value
    const { entities } = await this.redactor.redact(String(value), this.policy)
    if (entities.length === 0) return value
    return createHash("sha256").update(String(value)).digest().readUInt32BE() >>> 1
  }
}

const OPEN_STREAM: TextStream = { push: delta => delta as Guarded<string>, end: () => "" as Guarded<string> }

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map(item => mapStrings(item, change))
  if (value === null || typeof value !== "object") return value
  return objectOf(Object.entries(value).map(([key, inner]) => [change(key), mapStrings(inner, change)]))
}

/** A part of a text without those entities that reach into it; they come by their beginning, and may overlap. */
function replacedWithin(given: string, entities: readonly Entity[], from: number, to: number): string {
  let text = ""
  let at = from
  for (const { start, end, kind } of entities) {
    if (end <= at || start >= to) continue
    text += given.slice(at, Math.max(at, start)) + replacementOf(kind)
    at = end
  }
  return at < to ? text + given.slice(at, to) : text
}
