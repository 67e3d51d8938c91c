/**
 * Tesseract (WASM) in this process. tesseract.js would start a worker and fetch language data; its core is used directly
 * here, because the reader process exists to be blocked and killed, and all data is embedded or local.
 */
import { readFileSync } from "node:fs"
// @ts-expect-error: a file path at run time, embedded in the executable
import osdPath from "@tesseract.js-data/osd/4.0.0_best_int/osd.traineddata.gz" with { type: "file" }
// @ts-expect-error: has no types
import createCore from "tesseract.js-core/tesseract-core-simd.js"
// @ts-expect-error: a file path at run time, embedded in the executable
import corePath from "tesseract.js-core/tesseract-core-simd.wasm" with { type: "file" }
import type { BinaryImage } from "./skew.ts"

/** What is used of the core. Objects are of its own memory: to be given back with `destroy`. */
export interface Core {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  TessBaseAPI: new () => CoreApi
  OSResults: new () => OrientationAndScript
  getValue(address: number, type: "i32" | "float"): number
  getPointer(value: object): number
  destroy(value: object): void
  /** What its pointers point into; its buffer is another one once it has grown. */
  memory: WebAssembly.Memory
}

/** Colors of a picture: four bytes each, blue, green, red and opacity. */
export interface CoreColors {
  get_n(): number
  /** Address. */
  get_array(): number
}

/** A picture in the core's memory. */
export interface CorePicture {
  get_w(): number
  get_h(): number
  /** Bits of a pixel: 1, where black is 1; 2 to 16 of grey; 32, of which red, green and blue are the first 24. */
  get_d(): number
  /** Of no address (0) where pixels are no numbers of colors. */
  get_colormap(): CoreColors
  /** 32-bit words of a row. */
  get_wpl(): number
  get_data(): number
}

export interface CoreApi {
  InitForAnalysePage(): void
  /** 0 where the data could be loaded. */
  Init(folder: null, languages: string, engine: number): number
  SetVariable(name: string, value: string): boolean
  /** Reads `/input`; 1 where it cannot be decoded. Turns it as EXIF says, then clockwise within its sides. */
  SetImageFile(exifOrientation: number, radians: number): number
  SetRectangle(left: number, top: number, width: number, height: number): void
  Recognize(monitor: null): number
  GetTSVText(page: number): string
  /** As it was set; rows of whole 32-bit words, pixels from their highest bits on. */
  GetInputImage(): CorePicture
  /** The same with one bit per pixel. */
  GetThresholdedImage(): CorePicture
  DetectOS(results: OrientationAndScript): boolean
  Clear(): void
  End(): void
}

export interface OrientationAndScript {
  get_best_result(): { orientation_id: number; oconfidence: number }
  get_unicharset(): { get_script_table_size(): number; get_script_from_script_id(id: number): string }
}

/** The older engine, which alone tells scripts, and the neural one, which reads. */
const LEGACY_ENGINE = 0
const NEURAL_ENGINE = 1
/** Finds columns and blocks by itself; the default takes the whole picture for one block. */
export const AUTOMATIC_LAYOUT = "3"
export const ONE_COLUMN = "4"
export const ONE_LINE = "7"

export async function openCore(): Promise<Core> {
  const module = await WebAssembly.compile(await Bun.file(corePath as string).arrayBuffer())
  let memory: WebAssembly.Memory | undefined
  /** The library's own way, but that the memory is kept: there is no other way to it. */
  const instantiateWasm = (imports: WebAssembly.Imports, received: (made: WebAssembly.Instance) => void) => {
    const made = new WebAssembly.Instance(module, imports)
    memory = Object.values(made.exports).find(value => value instanceof WebAssembly.Memory)
    received(made)
    return made.exports
  }
  const core = await createCore({ instantiateWasm, printErr() {}, print() {}, TesseractProgress() {} })
  if (!memory) throw new Error("the text recognition does not show its memory")
  return Object.assign(core, { memory })
}

/** A recognizer with these languages. @throws where their data cannot be loaded */
export function openLanguages(core: Core, languages: readonly string[], fileOf: (language: string) => string): CoreApi {
  return open(core, languages, fileOf, NEURAL_ENGINE)
}

/** Tells scripts. @throws as `openLanguages` */
export function openScripts(core: Core): CoreApi {
  const api = open(core, ["osd"], () => osdPath as string, LEGACY_ENGINE)
  return api
}

/** How many letters are looked at before the scripts are told; where a page has not as many, the second number does. */
const LETTERS = [50, 8]

function open(core: Core, languages: readonly string[], fileOf: (language: string) => string, engine: number): CoreApi {
  const files = languages.map(language => `${language}.traineddata`)
  for (const [i, file] of files.entries()) core.FS.writeFile(file, unpacked(fileOf(languages[i]!)))
  const api = new core.TessBaseAPI()
  const status = api.Init(null, languages.join("+"), engine)
  for (const file of files) core.FS.unlink(file) // loaded, and held by the recognizer alone
  if (status === 0) return api
  core.destroy(api)
  throw new Error(`the OCR data of ${languages.join(", ")} cannot be loaded`)
}

/** Of gzip, where it is packed so. */
function unpacked(path: string): Uint8Array {
  const bytes = readFileSync(path)
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? Bun.gunzipSync(bytes) : bytes
}

export function blackAndWhite(core: Core, api: CoreApi): BinaryImage {
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

/** What the letters of a page say by their shapes alone. */
export interface Writing {
  /** Quarters by which the picture is to be turned clockwise to stand upright; 0 where that is not certain. */
  turn: number
  /** Tesseract's names of scripts with the letters that count for each, most first. */
  scripts: { name: string; letters: number }[]
}

/** By Tesseract's number of the orientation. */
const TURNS = [0, 3, 2, 1]
/** Upright pages have 5 to 38, by script. */
const SURE_OF_ORIENTATION = 2
/** Layout of `OSResults` in the core's memory (osdetect.h): four floats, then a row of 120 scores for each orientation. */
const SCORES_AT = 16
const SCORES = 120

/** Undefined where there are too few letters. The picture is set already. */
export function lookAtWriting(core: Core, api: CoreApi): Writing | undefined {
  const results = new core.OSResults()
  const isTold = (letters: number) => {
    api.SetVariable("min_characters_to_try", String(letters))
    return api.DetectOS(results)
  }
  try {
    if (!LETTERS.some(isTold)) return undefined
    const { orientation_id, oconfidence } = results.get_best_result()
    const names = results.get_unicharset()
    const row = core.getPointer(results) + SCORES_AT + orientation_id * SCORES * 4
    const scripts = Array.from({ length: Math.min(SCORES, names.get_script_table_size()) }, (_, id) => ({
      name: names.get_script_from_script_id(id),
      letters: core.getValue(row + id * 4, "float"),
    }))
    return {
      turn: oconfidence >= SURE_OF_ORIENTATION ? TURNS[orientation_id]! : 0,
      scripts: scripts.filter(({ letters }) => letters > 0).sort((a, b) => b.letters - a.letters),
    }
  } finally {
    core.destroy(results)
  }
}
