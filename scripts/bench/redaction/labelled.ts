/**
 * Labelled sentences in the form of presidio-research (`full_text`, `spans`). Two counts are printed: spans (found when
 * half of its characters are covered by the right kind; a find is right when it touches a label of its kind) and
 * characters. Labels of kinds that are not redacted count neither for nor against.
 */
import type { Entity } from "../../../src/redaction/redact.ts"
import type { Redact } from "./sets.ts"

const KIND_OF_LABEL: Record<string, string> = {
  PERSON: "NAME",
  ADDRESS: "ADDRESS",
  STREET_ADDRESS: "ADDRESS",
  PHONE_NUMBER: "PHONE",
  EMAIL_ADDRESS: "EMAIL",
  CREDIT_CARD: "CREDIT_CARD",
  IBAN_CODE: "BANK_ACCOUNT",
}
const KINDS = ["EMAIL", "CREDIT_CARD", "BANK_ACCOUNT", "PHONE", "NAME", "ADDRESS"]

interface Sample {
  full_text: string
  spans: { entity_type: string; start_position: number; end_position: number }[]
}
interface Tally {
  right: number
  wrong: number
  found: number
  missed: number
}
type Tallies = Record<string, Tally>
type Span = { start: number; end: number; kind: string }

/** @param missesOf prints what of this kind is missed or wrong */
export async function measureLabelled(redact: Redact, file: string, missesOf?: string): Promise<void> {
  const samples = (await Bun.file(file).json()) as Sample[]
  const small = samples.map(sample => ({ ...sample, full_text: smallLetters(sample.full_text) }))
  const began = performance.now()
  await measure("", samples, redact, missesOf)
  const seconds = (performance.now() - began) / 1000
  console.log(`\n${samples.length} texts in ${seconds.toFixed(1)} s; the same in small letters:`)
  await measure("small", small, redact)
}

/** Only where no letter changes its length: the labels must stay right. */
const smallLetters = (text: string): string =>
  [...text].map(letter => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("")

async function measure(name: string, samples: Sample[], redact: Redact, missesOf?: string): Promise<void> {
  const spans = emptyTallies()
  const characters = emptyTallies()
  for (const sample of samples) {
    const labels = sample.spans.map(span => ({
      start: span.start_position,
      end: span.end_position,
      kind: KIND_OF_LABEL[span.entity_type] ?? "OTHER",
    }))
    const entities = await redact(sample.full_text)
    for (const kind of KINDS) {
      countSpans(spans[kind]!, kind, sample.full_text, labels, entities, kind === missesOf)
      countCharacters(characters[kind]!, kind, sample.full_text, labels, entities)
    }
  }
  report(`spans ${name}`, spans)
  report(`letters ${name}`, characters)
}

function countSpans(
  tally: Tally,
  kind: string,
  text: string,
  labels: Span[],
  entities: Entity[],
  print: boolean,
): void {
  const say = (what: string, { start, end }: { start: number; end: number }) =>
    print && console.log(what, JSON.stringify(text.slice(start, end)), "in", JSON.stringify(text.slice(0, 140)))
  const mine = entities.filter(entity => entity.kind === kind)
  for (const label of labels.filter(label => label.kind === kind)) {
    const covered = mine.reduce((sum, entity) => sum + shared(entity, label), 0)
    const found = covered * 2 >= label.end - label.start
    tally[found ? "found" : "missed"]++
    if (!found) say("missed", label)
  }
  for (const entity of mine) {
    const touched = labels.filter(label => shared(entity, label) > 0)
    if (touched.some(label => label.kind === kind)) tally.right++
    else if (!touched.some(label => label.kind === "OTHER")) {
      tally.wrong++
      say("wrong ", entity)
    }
  }
}

function countCharacters(tally: Tally, kind: string, text: string, labels: Span[], entities: Entity[]): void {
  for (let at = 0; at < text.length; at++) {
    if (!/[\p{L}\p{N}]/u.test(text[at]!)) continue
    const label = labels.find(span => span.start <= at && at < span.end)?.kind
    const guess = entities.find(span => span.start <= at && at < span.end)?.kind
    if (label === "OTHER") continue
    if (label === kind) tally[guess === kind ? "found" : "missed"]++
    if (guess === kind) tally[label === kind ? "right" : "wrong"]++
  }
}

function report(title: string, tallies: Tallies): void {
  console.log(`\n${title.padEnd(14)} precision  recall    F2`)
  const all = emptyTally()
  for (const [kind, tally] of Object.entries(tallies)) {
    for (const key of Object.keys(all) as (keyof Tally)[]) all[key] += tally[key]
    line(kind, tally)
  }
  line("all", all)
}

function line(name: string, { right, wrong, found, missed }: Tally): void {
  const precision = right / Math.max(1, right + wrong)
  const recall = found / Math.max(1, found + missed)
  const f2 = (5 * precision * recall) / Math.max(1e-9, 4 * precision + recall)
  console.log(`${name.padEnd(14)} ${[precision, recall, f2].map(value => value.toFixed(3).padStart(8)).join(" ")}`)
}

function emptyTally(): Tally {
  return { right: 0, wrong: 0, found: 0, missed: 0 }
}

const emptyTallies = (): Tallies => Object.fromEntries(KINDS.map(kind => [kind, emptyTally()]))

const shared = (a: { start: number; end: number }, b: { start: number; end: number }): number =>
  Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
