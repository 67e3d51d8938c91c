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
import { ExtractionError } from "../../../storage/document.ts"
import type { RecognizedText } from "../extractor.ts"
import { LANGUAGE_FILE } from "./ocr-languages.ts"
import { type BinaryImage, findSkew } from "./skew.ts"

/** Long Short-Term Memory engine: the only one in the embedded core. */
const LSTM_ENGINE = 1
/** Finds columns and blocks by itself; the default takes the whole picture for one block. */
const AUTOMATIC_LAYOUT = "3"
/** Mean confidence of a page on its head: 38 and 39, where the same page upright has 95. */
const DOUBTED = 60
/** Fewer are a photograph's. */
const ENOUGH_WORDS = 5
/** Radians; lines that slant less are read as well as straight ones. */
const SMALL_SKEW = Math.PI / 720

interface Packet {
  status: "resolve" | "reject" | "progress"
  data: unknown
}

/** What is used of the core's own interface: the file that it reads a picture from, and the picture in black and white. */
interface Core {
  FS: { writeFile(path: string, bytes: Uint8Array): void }
  TessBaseAPI: new () => CoreApi
  getValue(address: number, type: "i32"): number
}

interface CoreApi {
  InitForAnalysePage(): void
  /** Reads `/input`; 1 where it cannot be decoded. */
  SetImageFile(exifOrientation: number, radians: number): number
  /** One bit per pixel, rows of whole 32-bit words from the left. */
  GetThresholdedImage(): { get_w(): number; get_h(): number; get_wpl(): number; get_data(): number }
  Clear(): void
}

/** The script keeps one for the process. */
let loadedCore: Core | undefined

export class Ocr {
  private started: Promise<void> | undefined
  private analysis: CoreApi | undefined

  /** `languagesDirectory` may hold further `*.traineddata` files, packed with gzip or not; all of them are used. */
  constructor(private readonly languagesDirectory: string | undefined) {}

  /**
   * Reads one picture; blocks this process meanwhile. Lines that slant are set straight first (at 10 degrees hardly a word
   * is read otherwise), and a page that stands on its head is turned.
   * @throws where the picture cannot be decoded; ExtractionError where recognition cannot start.
   */
  async recognize(image: Uint8Array): Promise<RecognizedText> {
    this.started ??= this.start().catch(error => {
      throw new ExtractionError("internal_error", "the text recognition could not be started", true, { cause: error })
    })
    await this.started
    const skew = this.skewOf(image)
    const upright = await this.read(image, skew)
    if (upright.confidence > DOUBTED || upright.words < ENOUGH_WORDS) return upright
    const turned = await this.read(image, skew + Math.PI)
    return turned.confidence > upright.confidence ? turned : upright
  }

  private async read(image: Uint8Array, rotateRadians: number): Promise<Reading> {
    const result = await call("recognize", { image, options: { rotateRadians }, output: { text: false, tsv: true } })
    return readTsv((result as { tsv: string | null }).tsv ?? "")
  }

  /** Radians to turn the picture by. Tesseract's own estimate fails where lines are few, or slant by more than 10 degrees. */
  private skewOf(image: Uint8Array): number {
    const core = loadedCore!
    if (!this.analysis) {
      this.analysis = new core.TessBaseAPI()
      this.analysis.InitForAnalysePage()
    }
    core.FS.writeFile("/input", image)
    if (this.analysis.SetImageFile(1, 0) === 1) throw new Error("the picture cannot be decoded")
    const skew = findSkew(blackAndWhite(core, this.analysis))
    this.analysis.Clear()
    return Math.abs(skew) < SMALL_SKEW ? 0 : skew
  }

  private async start(): Promise<void> {
    const files = languageFiles(this.languagesDirectory)
    script.setAdapter({
      getCore: async () => {
        const wasmBinary = await Bun.file(corePath as string).arrayBuffer()
        return async (options: object) => {
          loadedCore = await createCore({ ...options, wasmBinary, printErr: () => {} })
          return loadedCore
        }
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

function blackAndWhite(core: Core, api: CoreApi): BinaryImage {
  const picture = api.GetThresholdedImage()
  const [words, data] = [picture.get_wpl(), picture.get_data()]
  const rows = new Map<number, Int32Array>()
  const row = (y: number) =>
    Int32Array.from({ length: words }, (_, i) => core.getValue(data + (y * words + i) * 4, "i32"))
  return {
    width: picture.get_w(),
    height: picture.get_h(),
    isDark(x, y) {
      const bits = rows.get(y) ?? row(y)
      rows.set(y, bits)
      return ((bits[x >> 5]! >>> (31 - (x & 31))) & 1) === 1
    },
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
