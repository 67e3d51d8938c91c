/** Between text and a token classifier: cutting into atoms before it, joining its labels to entities behind it. */
import type { ModelEntity } from "./backend.ts"

/** A run of letters, a run of digits, one sign, or a newline. */
export interface Atom {
  text: string
  start: number
  end: number
  /** White space, or nothing, stands before it. */
  spaced: boolean
}

export interface LabeledAtom {
  atom: Atom
  /** `O`, or a BIO label such as `B-NAME`, `I-PER`. */
  label: string
  score: number
}

/** Scripts whose names have no edges in white space, as parts of a character class: Han, kana and Hangul. */
export const UNSPACED = "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3"
export const THAI = "\\u0e00-\\u0e7f"
/** Each character of them is an atom. */
const SINGLE = `${THAI}${UNSPACED}`
/** The same cut as scripts/train/entities/wordpieces.py. */
const ATOM = new RegExp(`\\n|[${SINGLE}]|(?:(?![${SINGLE}])[\\p{L}\\p{M}])+|\\p{Nd}+|\\S`, "gu")
export function atomsOf(text: string, withNewlines: boolean): Atom[] {
  const atoms: Atom[] = []
  for (const match of text.matchAll(ATOM)) {
    const [word] = match
    if (word === "\n" && !withNewlines) continue
    const spaced = match.index === 0 || /\s/.test(text[match.index - 1]!)
    atoms.push({ text: word, start: match.index, end: match.index + word.length, spaced })
  }
  return atoms
}

/** 0 small, 1 capital first, 2 all capitals, 3 mixed, 4 no letters. */
export function caseOf(atom: string): number {
  const letters = [...atom].filter(letter => /\p{L}/u.test(letter))
  if (letters.length === 0) return 4
  const capital = letters.map(letter => /\p{Lu}/u.test(letter))
  if (!capital.includes(true)) return 0
  if (letters.length > 1 && letters.every(letter => !/\p{Ll}/u.test(letter))) return 2
  return capital[0] && !capital.slice(1).includes(true) ? 1 : 3
}

/** Labels of the usual data sets (CoNLL, OntoNotes, Presidio's and privacy models) and our own. */
const KIND_OF_LABEL: Record<string, ModelEntity["kind"]> = {
  NAME: "NAME",
  PER: "NAME",
  PERSON: "NAME",
  FIRSTNAME: "NAME",
  LASTNAME: "NAME",
  GIVENNAME: "NAME",
  SURNAME: "NAME",
  ADDRESS: "ADDRESS",
  STREET: "ADDRESS",
  STREET_ADDRESS: "ADDRESS",
  STREETADDRESS: "ADDRESS",
  BUILDINGNUM: "ADDRESS",
  BUILDINGNUMBER: "ADDRESS",
  SECONDARYADDRESS: "ADDRESS",
  ZIPCODE: "ADDRESS",
}

export function kindOfLabel(label: string): ModelEntity["kind"] | undefined {
  return KIND_OF_LABEL[label.replace(/^[BIESUL]-/, "").toUpperCase()]
}

/** Joins neighboring atoms of one kind; a `B-` begins a new name, while the parts of an address stay together. */
export function entitiesOf(labeled: LabeledAtom[], text: string): ModelEntity[] {
  const entities: ModelEntity[] = []
  let open: (ModelEntity & { atoms: number }) | undefined
  for (const { atom, label, score } of labeled) {
    const kind = kindOfLabel(label)
    if (!kind) {
      if (atom.text !== "\n" || open?.kind !== "ADDRESS") open = undefined
      continue
    }
    const begins = label.startsWith("B-") && !joins(open, kind, text.slice(open?.end ?? 0, atom.start))
    if (!open || open.kind !== kind || begins) {
      open = { kind, start: atom.start, end: atom.end, score, atoms: 1 }
      entities.push(open)
    } else {
      open.end = atom.end
      open.score = (open.score * open.atoms + score) / ++open.atoms
    }
  }
  return entities
    .map(({ kind, start, end, score }) => withoutSigns({ kind, start, end, score }, text))
    .filter(({ start, end }) => start < end)
}

/** Signs at the edges are not part of the value; a full stop behind `Jr` or `St` is. */
function withoutSigns(entity: ModelEntity, text: string): ModelEntity {
  const written = text.slice(entity.start, entity.end)
  const head = /^[^\p{L}\p{N}#]*/u.exec(written)![0].length
  const tail = /[^\p{L}\p{N}\p{M}]*$/u.exec(written)![0].length
  return { ...entity, start: entity.start + head, end: Math.max(entity.start + head, entity.end - tail) }
}

const joins = (open: ModelEntity | undefined, kind: ModelEntity["kind"], gap: string): boolean =>
  open?.kind === "ADDRESS" && kind === "ADDRESS" && /^[\s,،、]*$/.test(gap)
