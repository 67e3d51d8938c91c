/** Public text that the entity model was not trained on (see scripts/train/entities), as sets of impersonal sentences. */
import { join } from "node:path"
import type { Sets } from "./sets.ts"

/** Whole files that training leaves out, and the halves of two others (scripts/train/entities/half.py). */
const GENRES: Record<string, { file: string; half?: boolean }> = {
  "software (django)": { file: "django" },
  "software (pandas)": { file: "pandas" },
  "software (apache)": { file: "apache" },
  "business (textbook)": { file: "ox_introduction_business" },
  "law (intellectual property)": { file: "ox_introduction_intellectual_property" },
  "questions to an office": { file: "uk_smart_answers" },
  "office rules": { file: "us_smartpay" },
  "medicine (medquad)": { file: "medquad", half: true },
  "definitions (wordnet)": { file: "wordnet", half: true },
}
const LANGUAGES = "en de es tr vi ro el ru ar hi th zh".split(" ")
const SENTENCES = 1500
/** Persons are named there, or probably: such a sentence is not impersonal. */
const PERSONAL =
  /\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|said|says|born|et al|[Bb]y [A-Z][a-z]+|[A-Z][a-z]+ [A-Z]\. [A-Z]|[A-Z]\. [A-Z][a-z]+)\b|@/

export async function publicSets(directory: string): Promise<{ genres: Sets; languages: Sets }> {
  const genres: Sets = new Map()
  for (const [name, { file, half }] of Object.entries(GENRES)) {
    const found = new Set<string>()
    for (const line of await linesOf(join(directory, "train", `${file}.jsonl.zst`))) {
      if (half && Bun.hash.crc32(line) % 2 === 0) continue
      for (const text of (JSON.parse(line) as string[]).slice(1))
        for (const sentence of text.split(/(?<=[.!?])\s+/))
          if (sentence.length > 20 && sentence.length < 300 && !PERSONAL.test(sentence)) found.add(sentence)
    }
    const all = [...found]
    const step = Math.max(1, all.length / SENTENCES)
    genres.set(
      name,
      Array.from({ length: Math.min(SENTENCES, all.length) }, (_, index) => all[Math.floor(index * step)]!),
    )
  }
  return { genres, languages: await questions(directory) }
}

/** Questions that have no capital in their English form but the first: they name nobody, in any language. */
async function questions(directory: string): Promise<Sets> {
  const read = async (language: string) => {
    const text = await Bun.file(join(directory, "search", `xquad-${language}`, "queries.jsonl")).text()
    return text.split("\n").flatMap(line => (line ? [JSON.parse(line) as { _id: string; text: string }] : []))
  }
  const impersonal = new Set((await read("en")).filter(({ text }) => !/\S\s+\S*[A-Z]/.test(text)).map(({ _id }) => _id))
  const sets: Sets = new Map()
  for (const language of LANGUAGES)
    sets.set(
      language,
      (await read(language)).filter(({ _id }) => impersonal.has(_id)).map(({ text }) => text),
    )
  return sets
}

async function linesOf(file: string): Promise<string[]> {
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(await Bun.file(file).bytes()))
  return text.split("\n").filter(line => line !== "")
}
