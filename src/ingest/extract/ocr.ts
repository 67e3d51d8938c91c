/**
 * Tesseract (WASM) in this process. tesseract.js normally starts a worker and fetches language data; here its worker
 * script runs directly, because the reader process exists to be blocked and killed, and all data is embedded or local.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
// @ts-expect-error: a file path at run time, embedded in the executable
import englishPath from "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz" with { type: "file" }
// @ts-expect-error: has no types
import script from "tesseract.js/src/worker-script/index.js"
// @ts-expect-error: has no types
import createCore from "tesseract.js-core/tesseract-core-simd-lstm.js"
// @ts-expect-error: a file path at run time, embedded in the executable
import corePath from "tesseract.js-core/tesseract-core-simd-lstm.wasm" with { type: "file" }
import { ExtractionError } from "../../storage/document.ts"
import type { RecognizedText } from "./extractor.ts"
import { LANGUAGE_FILE } from "./ocr-languages.ts"

/** Long Short-Term Memory engine: the only one in the embedded core. */
const LSTM_ENGINE = 1
/** Finds columns and blocks by itself; the default takes the whole picture for one block. */
const AUTOMATIC_LAYOUT = "3"
/** Mean confidence of a page on its head: 38 and 39, where the same page upright has 95. */
const DOUBTED = 60
/** Fewer are a photograph's. */
const ENOUGH_WORDS = 10

interface Packet {
  status: "resolve" | "reject" | "progress"
  data: unknown
}

export class Ocr {
  private started: Promise<void> | undefined

  /** `languagesDirectory` may hold further `*.traineddata` files, packed with gzip or not; all of them are used. */
  constructor(private readonly languagesDirectory: string | undefined) {}

  /**
   * Reads one picture; blocks this process meanwhile. Lines that slant are set straight first (at 10 degrees no word is
   * read otherwise, also by Tesseract itself), and a page that stands on its head is turned.
   * @throws where the picture cannot be decoded; ExtractionError where recognition cannot start.
   */
  async recognize(image: Uint8Array): Promise<RecognizedText> {
    this.started ??= this.start().catch(error => {
      throw new ExtractionError("internal_error", "the text recognition could not be started", true, { cause: error })
    })
    await this.started
    const upright = await this.read(image, { rotateAuto: true })
    if (upright.confidence > DOUBTED || upright.words < ENOUGH_WORDS) return upright
    const turned = await this.read(image, { rotateRadians: Math.PI })
    return turned.confidence > upright.confidence ? turned : upright
  }

  private async read(image: Uint8Array, options: object): Promise<Reading> {
    const result = await call("recognize", { image, options, output: { text: false, tsv: true } })
    return readTsv((result as { tsv: string | null }).tsv ?? "")
  }

  private async start(): Promise<void> {
    const files = languageFiles(this.languagesDirectory)
    script.setAdapter({
      getCore: async () => {
        const wasmBinary = await Bun.file(corePath as string).arrayBuffer()
        return (options: object) => createCore({ ...options, wasmBinary, printErr: () => {} })
      },
      gunzip: (data: Uint8Array) => Bun.gunzipSync(data as Uint8Array<ArrayBuffer>),
      readCache: async (path: string) => new Uint8Array(readFileSync(files.get(languageOf(path))!)),
      writeCache: async () => {},
      deleteCache: async () => {},
      checkCache: async () => false,
      fetch: () => Promise.reject(new Error("language data is never fetched")),
    })
    const langs = [...files.keys()].join("+")
    await call("load", { options: { lstmOnly: true, corePath: "", logging: false } })
    await call("loadLanguage", { langs, options: { lstmOnly: true, cacheMethod: "readOnly", cachePath: "" } })
    await call("initialize", { langs, oem: LSTM_ENGINE, config: {} })
    await call("setParameters", { params: { tessedit_pageseg_mode: AUTOMATIC_LAYOUT } })
  }
}

/** English first: Tesseract takes the first as the main one. */
function languageFiles(directory: string | undefined): Map<string, string> {
  const files = new Map([["eng", englishPath as string]])
  for (const name of directory && existsSync(directory) ? readdirSync(directory).sort() : []) {
    const language = LANGUAGE_FILE.exec(name)?.[1]
    if (language && language !== "osd") files.set(language, join(directory!, name))
  }
  return files
}

const languageOf = (path: string) => LANGUAGE_FILE.exec(path.split("/").at(-1)!)![1]!

let jobs = 0

function call(action: string, payload: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const packet = { workerId: "reader", jobId: `ocr-${++jobs}`, action, payload }
    script.dispatchHandlers(packet, ({ status, data }: Packet) => {
      if (status === "resolve") resolve(data)
      else if (status === "reject") reject(new Error(String(data)))
    })
  })
}

/** Word rows of Tesseract's table: level 5, numbers of block, paragraph and line, …, confidence, text. */
const WORD_LEVEL = "5"

interface Reading extends RecognizedText {
  /** Junk included. */
  words: number
}

function readTsv(tsv: string): Reading {
  let text = ""
  let confidence = 0
  let words = 0
  let sure = 0
  let place: string[] = []
  for (const row of tsv.split("\n")) {
    const cells = row.split("\t")
    const word = cells[11]?.trim()
    if (cells[0] !== WORD_LEVEL || !word) continue
    const here = cells.slice(2, 5)
    if (text) text += here[0] !== place[0] || here[1] !== place[1] ? "\n\n" : here[2] !== place[2] ? "\n" : " "
    text += word
    place = here
    words++
    confidence += Number(cells[10])
    if (Number(cells[10]) >= SURE && /[\p{L}\p{N}]{2}/u.test(word)) sure++
  }
  const mean = words > 0 ? confidence / words : 0
  return { text: isJunk(sure, mean) ? "" : text, confidence: mean, words }
}

const SURE = 60

/** What Tesseract sees in photographs without writing: a few short "words" that it doubts itself. */
function isJunk(sure: number, mean: number): boolean {
  return sure === 0 || (mean < 40 && sure < 5)
}
