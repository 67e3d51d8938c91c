/** Stand-ins for the entity model. */
import type { EntityModel, ModelEntity } from "../../src/backends/backend.ts"

/** Finds the given names, and nothing else. */
export function modelThatKnows(names: string[], kind: ModelEntity["kind"] = "NAME"): EntityModel {
  return {
    model: "knows-names",
    async find(text) {
      return names.flatMap(name =>
        [...text.matchAll(new RegExp(name, "g"))].map(({ index }) => ({
          kind,
          start: index,
          end: index + name.length,
          score: 0.9,
        })),
      )
    },
    async close() {},
  }
}

/** Answers differently as soon as one character that it is shown differs: proves that streams ask what whole texts ask. */
export function touchyModel(): EntityModel {
  return {
    model: "touchy",
    async find(text) {
      const hash = Bun.hash.crc32(text)
      const words = [...text.matchAll(/\S+/g)]
      return words
        .filter((_, index) => ((hash >> (index % 24)) & 3) === 0)
        .map(({ 0: word, index }) => ({
          kind: hash % 2 ? ("NAME" as const) : ("ADDRESS" as const),
          start: index,
          end: index + word.length,
          score: 0.5,
        }))
    },
    async close() {},
  }
}
