/**
 * Names and addresses are recognized by what stands around them, so one that was seen in a sentence may pass unseen in
 * a list. Within a turn or a run a value that was private once stays so.
 */
import { type Entity, replacementOf } from "../redaction/redact.ts"
import { Lru } from "../threads/lru.ts"

/** Shorter ones are too often words as well. */
const MIN_NAME_CHARACTERS = 4
/** Below it a find is too doubtful to be carried to other texts. */
const MIN_SCORE = 0.6

/** Every text is searched for each of them; a document of thousands of names must not make that long. */
const MAX_NAMES = 1_000

export class KnownNames {
  /** What was not seen for longest is forgotten. */
  private readonly byValue = new Lru<string, Entity>({ entries: MAX_NAMES })

  learn(value: string, entity: Entity): void {
    const contextual = entity.kind === "NAME" || entity.kind === "ADDRESS"
    if (!contextual || entity.score < MIN_SCORE || value.length < MIN_NAME_CHARACTERS) return
    this.byValue.set(value, entity)
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
