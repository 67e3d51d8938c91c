/** The thread that runs the token classifiers: one for Latin letters, and beside it one for other scripts. */
import type { ModelEntity } from "./backend.ts"
import { Classifier, type ClassifierPlace } from "./entity-classifier.ts"
import { loadLibrary, serveModel } from "./model-side.ts"

export interface EntityModelPlace {
  main: ClassifierPlace
  /** Reads what `letters` matches; without it `main` reads everything. */
  others: (ClassifierPlace & { scripts: string[] }) | undefined
  nativeDirectory: string
}

serveModel<EntityModelPlace, string[], ModelEntity[][]>(async ({ main, others, nativeDirectory }) => {
  const library = await loadLibrary(nativeDirectory)
  const mainClassifier = await Classifier.open(main, library)
  if (!others) return texts => mainClassifier.find(texts)
  const otherClassifier = await Classifier.open(others, library)
  const letters = new RegExp(`[${others.scripts.map(script => `\\p{Script=${script}}`).join("")}]`, "gu")
  return async texts => {
    const ofOthers = texts.map(text => text.search(letters) >= 0)
    const ofMain = texts.map((text, index) => !ofOthers[index] || /\p{Script=Latin}/u.test(text))
    const [mainFinds, otherFinds] = [
      await findIn(mainClassifier, texts, ofMain),
      await findIn(otherClassifier, texts, ofOthers),
    ]
    return texts.map((text, index) => [
      ...mainFinds[index]!.filter(
        find => !ofOthers[index] || countIn(text, find, /\p{Script=Latin}/gu) > countIn(text, find, letters),
      ),
      ...otherFinds[index]!.filter(find => countIn(text, find, letters) >= countIn(text, find, /\p{Script=Latin}/gu)),
    ])
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
