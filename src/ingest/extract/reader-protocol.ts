/** What parent and reader process say to each other, and the files in which a result is handed over. */
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs"
import {
  type Block,
  type BlockKind,
  type ExtractedDocument,
  type ExtractionErrorCode,
  NOWHERE,
  type Place,
} from "../../storage/document.ts"
import type { DocumentBuilder } from "./document-builder.ts"

/** Parent → child: read this file. One at a time. */
export interface ReadRequest {
  path: string
  name: string
  type: string
  /** Start of the names of the result files. */
  resultPath: string
  ocrLanguagesDirectory?: string
}

/** Child → parent. */
export type ReaderMessage =
  | { kind: "ready" }
  | { kind: "progress"; progress: number; stage: "extracting" | "ocr" }
  | { kind: "ocr_expected"; count: number }
  | { kind: "done" }
  | { kind: "failed"; code: ExtractionErrorCode; message: string; detail?: string }

const KINDS = [
  "heading",
  "paragraph",
  "list_item",
  "table_header",
  "table_row",
  "code",
  "notes",
] as const satisfies BlockKind[]
const NUMBERS_PER_BLOCK = 5

export const textFile = (resultPath: string) => `${resultPath}.text`
export const outlineFile = (resultPath: string) => `${resultPath}.json`

interface Outline {
  pageCount: number | null
  ocrPageCount: number
  warnings: { code: string; message: string }[]
  places: Place[]
  /** Kind, start, end, level (0: none), place, block after block: a gigabyte of text has a quarter million blocks. */
  blocks: number[]
}

/** Writes text to the result file as it comes, in UTF-8, a megabyte at a time. */
export class TextFileSink {
  private readonly file: number
  private waiting: string[] = []
  private waitingLength = 0

  constructor(resultPath: string) {
    this.file = openSync(textFile(resultPath), "w", 0o600)
  }

  readonly write = (text: string): void => {
    this.waiting.push(text)
    this.waitingLength += text.length
    if (this.waitingLength > 1_000_000) this.flush()
  }

  close(): void {
    this.flush()
    closeSync(this.file)
  }

  private flush(): void {
    const bytes = Buffer.from(this.waiting.join(""))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at)
    this.waiting = []
    this.waitingLength = 0
  }
}

export function writeOutline(resultPath: string, document: DocumentBuilder): void {
  const places = new Map<Place, number>()
  const blocks: number[] = []
  for (const { kind, start, end, level, place } of document.blocks) {
    const index = places.get(place) ?? places.size
    places.set(place, index)
    blocks.push(KINDS.indexOf(kind), start, end, level ?? 0, index)
  }
  const { pageCount, ocrPageCount } = document
  const outline: Outline = {
    pageCount,
    ocrPageCount,
    warnings: document.allWarnings(),
    places: [...places.keys()],
    blocks,
  }
  writeFileSync(outlineFile(resultPath), JSON.stringify(outline), { mode: 0o600 })
}

export async function readResult(resultPath: string): Promise<ExtractedDocument> {
  const [text, outline] = await Promise.all([
    Bun.file(textFile(resultPath)).text(),
    Bun.file(outlineFile(resultPath)).json() as Promise<Outline>,
  ])
  const { places, blocks: numbers, ...rest } = outline
  const blocks: Block[] = []
  for (let at = 0; at < numbers.length; at += NUMBERS_PER_BLOCK) {
    const [kind, start, end, level, place] = numbers.slice(at, at + NUMBERS_PER_BLOCK) as [
      number,
      number,
      number,
      number,
      number,
    ]
    const block: Block = { kind: KINDS[kind]!, start, end, place: places[place] ?? NOWHERE }
    if (level > 0) block.level = level
    blocks.push(block)
  }
  return { text, blocks, ...rest }
}
