/**
 * One space for the vectors of two encoders: one that knows many languages, and one that knows English better. A text has a side of
 * either: in English both are read, in any other language the second is guessed from the first, and counts for less. What a guess
 * is shorter stands in a dimension that queries have nothing in, so that all passages have first sides of one length: a question in
 * another language finds those in English as well as its own.
 */
import { readFileSync } from "node:fs"
import { readOnnxConstants } from "./onnx-constants.ts"
import { toUnitLength } from "./pooling.ts"

const FLOAT = 1

/** What `scripts/train/joint/fit.py` calls the constants of its graph. */
interface Constants {
  general_mean: Float32Array
  english_mean: Float32Array
  /** From the first side to the second, and from the English encoder's vectors to theirs: `[outputs, inputs]`. */
  guess: Float32Array
  english: Float32Array
  /** Of the first side; of the second where it was read and where it is guessed; of what a guess is shorter. */
  lengths: Float32Array
}

const NAMES = ["general_mean", "english_mean", "guess", "english", "lengths"] as const

export class JointSpace {
  private readonly dimensions: number
  private readonly width: number
  private readonly englishWidth: number

  private constructor(private readonly constants: Constants) {
    this.width = constants.general_mean.length
    this.englishWidth = constants.english.length / constants.english_mean.length
    this.dimensions = this.width + this.englishWidth + 1
  }

  /** Dimensions of either encoder, and of what they become. */
  get widths(): [general: number, english: number, joint: number] {
    return [this.width, this.constants.english_mean.length, this.dimensions]
  }

  /** @throws Error where the file is not as `fit.py` writes it */
  static open(path: string): JointSpace {
    const stored = readOnnxConstants(readFileSync(path))
    const read = NAMES.map(name => {
      const found = stored.get(name)
      if (found?.type !== FLOAT) throw new Error(`the graph has no constant "${name}" of floats`)
      return [name, new Float32Array(new Uint8Array(found.bytes).buffer)] as const
    })
    const constants = Object.fromEntries(read) as unknown as Constants
    const { general_mean, english, english_mean, guess, lengths } = constants
    if (guess.length / general_mean.length !== english.length / english_mean.length || lengths.length !== 4)
      throw new Error("the constants of the space do not fit each other")
    return new JointSpace(constants)
  }

  /**
   * @param general a unit vector of the encoder of many languages
   * @param english one of the English encoder, where it read the text
   * @returns a unit vector
   */
  join(general: Float32Array, english: Float32Array | undefined, role: "query" | "passage"): Float32Array {
    const { width, englishWidth, dimensions } = this
    const { general_mean, english_mean, lengths } = this.constants
    const [own, read, guessed, rest] = lengths as unknown as [number, number, number, number]
    const first = centred(general, general_mean)
    const second = english
      ? times(this.constants.english, centred(english, english_mean), englishWidth)
      : times(this.constants.guess, first, englishWidth)
    toUnitLength(second, englishWidth)
    const joined = new Float32Array(dimensions)
    joined.set(first.map(value => value * own))
    joined.set(
      second.map(value => value * (english ? read : guessed)),
      width,
    )
    if (!english && role === "passage") joined[dimensions - 1] = rest
    return toUnitLength(joined, dimensions)
  }
}

const centred = (vector: Float32Array, mean: Float32Array): Float32Array =>
  toUnitLength(
    vector.map((value, at) => value - mean[at]!),
    vector.length,
  )

function times(matrix: Float32Array, vector: Float32Array, rows: number): Float32Array {
  const width = vector.length
  return Float32Array.from({ length: rows }, (_, row) => {
    let sum = 0
    for (let at = 0, from = row * width; at < width; at++) sum += matrix[from + at]! * vector[at]!
    return sum
  })
}
