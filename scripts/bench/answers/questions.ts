/**
 * The questions of `test/fixtures/answers`: small documents and what is asked of them, made for this measurement. The library
 * and the questions of those held out share nothing with those of `dev`; nothing that chooses parameters may read it.
 *
 *   = LANGUAGE NAME TITLE      begins a document, or with the language `-` questions without one
 *   text with {an answer}. | a question in its words | one in other words
 *   @ a row of a table, likewise
 *   ! a question that no document of the file answers
 *   # count QUESTION => 4      also `sum`
 *   ~ small talk               ~+ a greeting before a question => its answer
 *   * a question about a whole document => its NAME
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(import.meta.dir, "../../../test/fixtures/answers")

export interface AnswerDocument {
  name: string
  language: string
  title: string
  isTable: boolean
  /** Sentences, or rows with the header first. */
  lines: string[]
}

/** `own`: asked in the words of the document; `other`: in other words. `near`: its document speaks of something near. */
export type QuestionKind = "own" | "other" | "near" | "nothing" | "count" | "sum" | "talk" | "greeted" | "whole"

export interface AnswerQuestion {
  kind: QuestionKind
  text: string
  language: string
  /** Name of the document; empty where there is none. */
  document: string
  /** Stands word for word in `line`, where a line answers; a figure for counts and sums; empty where nothing answers. */
  answer: string
  /** The sentence or row that answers. */
  line: string
}

export interface AnswerSet {
  documents: AnswerDocument[]
  questions: AnswerQuestion[]
}

/** @param set `dev`; `dev-2` and `dev-3`, which ask mostly for what their documents nearly say; `held-out`, `held-out-2` */
export function readAnswers(set: string): AnswerSet {
  const documents: AnswerDocument[] = []
  const questions: AnswerQuestion[] = []
  let language = "-"
  let name = ""
  for (const raw of readFileSync(join(ROOT, `${set}.txt`), "utf8").split("\n")) {
    const [, mark = "", rest = ""] = /^(=|@|!|#|~\+|~|\*)? ?(.*)$/.exec(raw)!
    const ask = (kind: QuestionKind, text: string, answer = "", line = "", document = name) =>
      questions.push({ kind, text, language, document, answer, line })
    const [text = "", answer = ""] = rest.split(" => ")
    if (mark === "=") {
      const [code = "", id = "", ...title] = rest.split(" ")
      language = code
      name = code === "-" ? "" : id
      if (name) documents.push({ name, language, title: title.join(" "), isTable: false, lines: [] })
    } else if (mark === "!") ask(name ? "near" : "nothing", rest)
    else if (mark === "#") ask(text.startsWith("count") ? "count" : "sum", text.slice(text.indexOf(" ") + 1), answer)
    else if (mark === "~") ask("talk", rest)
    else if (mark === "~+") {
      const known = questions.find(each => each.answer === answer)!
      ask("greeted", text, answer, known.line, known.document)
    } else if (mark === "*") ask("whole", text, "", "", answer)
    else if (rest) {
      const document = documents.at(-1)!
      const [marked = "", own, other] = rest.split(" | ")
      const line = marked.replace(/[{}]/g, "")
      document.lines.push(line)
      if (mark === "@") document.isTable = true
      const fact = /\{(.+)\}/.exec(marked)?.[1]
      if (fact && own) ask("own", own, fact, line)
      if (fact && other) ask("other", other, fact, line)
    }
  }
  return { documents, questions }
}

/** A document as a file to upload. */
export function fileOf({ name, title, isTable, lines }: AnswerDocument): { name: string; text: string } {
  if (isTable) return { name: `${name}.csv`, text: `${lines.join("\n")}\n` }
  return { name: `${name}.txt`, text: `${title}\n\n${paragraphsOf(lines).join("\n\n")}\n` }
}

/** Three sentences each. */
export function paragraphsOf(lines: readonly string[]): string[] {
  const paragraphs: string[] = []
  for (let at = 0; at < lines.length; at += 3) paragraphs.push(lines.slice(at, at + 3).join(" "))
  return paragraphs
}
