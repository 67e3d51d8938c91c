/**
 * The thread that runs the token classifiers. `main` reads Latin letters. The encoder reads other scripts, and looks again
 * at what `main` finds: it takes thirty times as long, so it sees only texts that hold such letters or finds.
 */
import type { ModelEntity } from "./backend.ts"
import { Classifier, type ClassifierPlace } from "./entity-classifier.ts"
import { EntityEncoder, type EntityEncoderPlace } from "./entity-encoder.ts"
import { loadLibrary, serveModel } from "./model-side.ts"

export interface EntityModelPlace {
  main: ClassifierPlace
  /** Without it `main` reads everything. */
  encoder: (EntityEncoderPlace & EncoderDuties) | undefined
  nativeDirectory: string
}

interface EncoderDuties {
  /** Names of the Unicode scripts that it reads. */
  scripts: string[]
  /** Whether it looks at the finds of `main` too: a larger model that the operator chose knows better. */
  looksAgain: boolean
}

const LATIN = /\p{Script=Latin}/gu

serveModel<EntityModelPlace, string[], ModelEntity[][]>(async ({ main, encoder: place, nativeDirectory }) => {
  const library = await loadLibrary(nativeDirectory)
  const classifier = await Classifier.open(main, library)
  if (!place) return texts => classifier.find(texts)
  const letters = new RegExp(`[${place.scripts.map(script => `\\p{Script=${script}}`).join("")}]`, "gu")
  // Its memory is taken with the first text that needs it. A folder that cannot be read is tried anew with the next one.
  let opened: Promise<EntityEncoder> | undefined
  const open = () =>
    EntityEncoder.open(place, library).catch(error => {
      opened = undefined
      throw error
    })
  return async texts => {
    const isForeign = texts.map(text => text.search(letters) >= 0)
    const isLatin = texts.map((text, index) => !isForeign[index] || text.search(LATIN) >= 0)
    const mainFinds = await findIn(classifier, texts, isLatin)
    const answers: ModelEntity[][] = []
    for (const [index, text] of texts.entries()) {
      const ofMain = mainFinds[index]!.filter(find => countIn(text, find, LATIN) > countIn(text, find, letters))
      if (!isForeign[index] && (ofMain.length === 0 || !place.looksAgain)) {
        answers.push(mainFinds[index]!)
        continue
      }
      opened ??= open()
      const reading = await (await opened).read(text)
      const ofEncoder = isForeign[index] ? reading.finds() : []
      answers.push([
        ...(place.looksAgain ? ofMain.map(find => ({ ...find, support: reading.support(find) })) : ofMain),
        ...ofEncoder.flatMap(find => {
          if (countIn(text, find, letters) >= countIn(text, find, LATIN)) return find
          // Of Latin letters amid another script `main`, which knows the words around them less, misses many.
          const isNew = place.looksAgain && !ofMain.some(other => other.start < find.end && find.start < other.end)
          return isNew ? { ...find, support: find.score } : []
        }),
      ])
    }
    return answers
  }
})

/** Finds in the chosen texts; none in the others. */
async function findIn(classifier: Classifier, texts: string[], chosen: boolean[]): Promise<ModelEntity[][]> {
  const finds = await classifier.find(texts.filter((_, index) => chosen[index]))
  return chosen.map(isChosen => (isChosen ? finds.shift()! : []))
}

/** A find belongs to the model that reads most of its letters. */
const countIn = (text: string, { start, end }: ModelEntity, letters: RegExp): number =>
  text.slice(start, end).match(letters)?.length ?? 0
