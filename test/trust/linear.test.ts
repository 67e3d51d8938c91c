/**
 * Text of callers, models and documents that is written to make expressions take the square of its length. Each case holds
 * 100 000 characters: a square of that does not end within the time of a test.
 */
import { describe, expect, test } from "bun:test"
import { leakedCall, readProtocol } from "../../src/agents/text-protocol.ts"
import { sentencesOf } from "../../src/backends/sentences.ts"
import { foreignLinks } from "../../src/grounding/foreign-links.ts"
import { extractDocument } from "../../src/ingest/formats/extract.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import { stemEnglish } from "../../src/search/text/stem-english.ts"
import { findJson } from "../../src/tools/json-schema.ts"

const LENGTH = 100_000
const SECONDS_20 = 20_000
const UNITS = [
  ...[" ", "\n", "\t", "a", "A", "0", '"', "'", "`", ".", ",", ";", ":", "=", "-", "_", "/", "\\", "|", "~", "#", "*"],
  ...["(", ")", "[", "{", "}", "<", ">", "@", "&", "!", "+", "é", "中", "。", "\u00a0", "\u200b", "\u0001"],
  ...[
    "a ",
    " \n",
    "\n ",
    "0 ",
    "0,",
    "a.",
    "a@",
    "a:",
    "[[",
    "[a](",
    "<a ",
    "<!--",
    "```",
    "aA0",
    "eyJ",
    "--- ",
    "A. ",
    "? ",
  ],
]
const texts = UNITS.flatMap(unit => {
  const text = unit.repeat(Math.ceil(LENGTH / unit.length))
  return [text, `${text}\u0002`, `x ${text} y`]
})

const surroundings = {
  onProgress: () => {},
  onOcrExpected: () => {},
  pause: async () => {},
  recognize: () => Promise.reject(new Error("no pictures here")),
}

/** What makes readers of Markdown and HTML look far ahead. */
const LINKS = [
  "(",
  "](",
  "[a](",
  "](\n",
  "(((())))",
  "http://",
  "=www.",
  "a@a.",
  "<a href=",
  "<p style=",
  '<p style="',
  "<style>",
  "href='href=\"",
  "[a]:\n",
  "<a:",
]

describe("takes time in proportion to the text", () => {
  test(
    "finding addresses in an answer and in what was given",
    () => {
      for (const unit of LINKS)
        for (const before of ["", "<", "](https://"]) {
          const text = before + unit.repeat((2 * LENGTH) / unit.length)
          foreignLinks(text, [text])
        }
      for (const text of texts) foreignLinks(text, [text])
    },
    SECONDS_20,
  )

  test(
    "finding JSON and calls in what a model wrote",
    () => {
      for (const text of [...texts, `\`\`\`json${"\n".repeat(LENGTH)}`, `\`\`\`json${"\n".repeat(LENGTH)}{}`]) {
        findJson(text)
        readProtocol(`{${text}`, () => "c")
        leakedCall(text, new Set(["a"]), () => "c")
      }
      expect(findJson(`\`\`\`json${"\n".repeat(LENGTH)}{"a": 1}\n\`\`\``)).toEqual({ a: 1 })
    },
    SECONDS_20,
  )

  test(
    "cutting a text into sentences",
    () => {
      for (const text of texts) sentencesOf(text)
      expect(sentencesOf('He said "go!") Then he went.')).toEqual(['He said "go!")', "Then he went."])
    },
    SECONDS_20,
  )

  test(
    "finding the stem of a word",
    () => {
      for (const text of texts) stemEnglish(`${text}s`)
      expect(["gas", "gaps", "this", "kiwis"].map(stemEnglish)).toEqual(["gas", "gap", "this", "kiwi"])
    },
    SECONDS_20,
  )

  test.each(["txt", "md", "csv", "html", "json", "sql", "yaml"])(
    "reading a %s file",
    async type => {
      for (const text of texts)
        await extractDocument(
          { name: `a.${type}`, bytes: Buffer.from(`# ${text}\n${text}`) },
          type,
          surroundings,
        ).catch(error => expect(error.name).toBe("ExtractionError"))
    },
    3 * SECONDS_20,
  )

  test(
    "searching for secrets and numbers",
    async () => {
      const redactor = new Redactor({ entityModel: undefined })
      const policy = parseRedaction(
        {
          categories: ["financial", "credentials"],
          kinds: ["EMAIL", "PHONE", "PASSWORD", "TOKEN", "API_KEY", "CREDIT_CARD", "BANK_ACCOUNT"],
        },
        false,
      )!
      for (const text of texts) await redactor.redact(`password: ${text}`, policy)
    },
    6 * SECONDS_20,
  )
})
