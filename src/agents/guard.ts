/** The one gate between a run and everything that must not see private data: model, storage, caller, external tools. */
import { type Entity, type RedactionPolicy, type Redactor, replacementOf } from "../redaction/redact.ts"

export interface Guard {
  readonly redacts: boolean
  /** What has been replaced so far. */
  readonly entities: readonly Entity[]
  /** Some text held writing in which names are not known; see PARTIAL_REDACTION. */
  readonly partial: boolean
  text(text: string): Promise<string>
  /** The same without counting: labels that repeat what was counted. */
  silently(text: string): Promise<string>
  /** The same for every value inside JSON; keys stay. */
  value<T>(value: T): Promise<T>
}

const same = async <T>(given: T): Promise<T> => given
const OPEN_GUARD: Guard = { redacts: false, entities: [], partial: false, text: same, silently: same, value: same }

/** @param policy null where the run is not redacted */
export function createGuard(redactor: Pick<Redactor, "redact" | "redactValue">, policy: RedactionPolicy | null): Guard {
  if (!policy) return OPEN_GUARD
  const replaced: Entity[] = []
  const names = new KnownNames()
  let partlyRead = false
  const redact = async (given: string): Promise<{ text: string; entities: Entity[] }> => {
    if (given === "") return { text: given, entities: [] }
    const { text, entities, partial } = await redactor.redact(given, policy)
    partlyRead ||= partial
    for (const entity of entities) names.learn(given.slice(entity.start, entity.end), entity)
    const again = names.replaceIn(text)
    return { text: again.text, entities: [...entities, ...again.entities] }
  }
  return {
    redacts: true,
    entities: replaced,
    get partial() {
      return partlyRead
    },
    async text(given) {
      const { text, entities } = await redact(given)
      replaced.push(...entities)
      return text
    },
    silently: async given => (await redact(given)).text,
    async value(given) {
      const { value, entities, partial } = await redactor.redactValue(given, policy)
      partlyRead ||= partial
      replaced.push(...entities)
      return mapStrings(value, text => {
        const again = names.replaceIn(text)
        replaced.push(...again.entities)
        return again.text
      }) as typeof given
    },
  }
}

/** Shorter ones are too often words as well. */
const MIN_NAME_CHARACTERS = 4
/** Below it a find is too doubtful to be carried to other texts. */
const MIN_SCORE = 0.6

/**
 * Names and addresses are recognised by what stands around them, so one that was seen in a sentence may pass unseen in
 * a list. Within a run a value that was private once stays so.
 */
class KnownNames {
  private readonly byValue = new Map<string, Entity>()

  learn(value: string, entity: Entity): void {
    const contextual = entity.kind === "NAME" || entity.kind === "ADDRESS"
    if (contextual && entity.score >= MIN_SCORE && value.length >= MIN_NAME_CHARACTERS) this.byValue.set(value, entity)
  }

  /** Whole words only; offsets of the entities count in the given text. */
  replaceIn(text: string): { text: string; entities: Entity[] } {
    const entities: Entity[] = []
    let result = text
    for (const [value, entity] of this.byValue) {
      if (!text.includes(value)) continue
      const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(value)}(?![\\p{L}\\p{N}])`, "gu")
      for (const { index } of text.matchAll(pattern))
        entities.push({ ...entity, start: index, end: index + value.length })
      result = result.replace(pattern, () => replacementOf(entity.kind))
    }
    return { text: result, entities }
  }
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map(item => mapStrings(item, change))
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]))
}
