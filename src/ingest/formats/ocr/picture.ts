/** One picture in the core's memory, to be looked at and read from several sides. One at a time. */
import {
  AUTOMATIC_LAYOUT,
  blackAndWhite,
  type CoreApi,
  lookAtWriting,
  ONE_COLUMN,
  ONE_LINE,
  type Writing,
} from "./core.ts"
import { confidenceOf, type Line, type Reading, readTsv, sureLetters } from "./reading.ts"
import type { Recognizers } from "./recognizers.ts"
import { findSkew } from "./skew.ts"

/** Where the core takes pictures from. */
export const INPUT = "/input"
/** Radians; lines that slant less are read as well as straight ones. */
const SMALL_SKEW = Math.PI / 720
const UPRIGHT = 1
/** EXIF's numbers of pictures that are to be turned by 0 to 3 quarters, clockwise; the others are mirrored. */
const QUARTERS = [UPRIGHT, 6, 3, 8]
/** The tag of the orientation in EXIF data, as bytes in decimal. */
const ORIENTATION = /\b1 18 0 3 0 0 0 1 0 ([1-8])\b/
const EXIF_BYTES = 500
/** Pixels around a line that is read by itself. */
const MARGIN = 6
/** Korean words are parted so widely that the layout takes them for columns and loses half of them. */
const WIDELY_SPACED = "kor"

/** EXIF's number of how the picture is to be turned or mirrored; 1 where it says nothing. */
export const orientationOf = (image: Uint8Array): number =>
  Number(ORIENTATION.exec(image.slice(0, EXIF_BYTES).join(" "))?.[1] ?? UPRIGHT)

/** How a picture is turned to stand upright. */
export interface Turn {
  /** Clockwise. */
  quarters: number
  /** Further, within its sides: what goes beyond them is cut off. */
  radians: number
}

export class Picture {
  private readonly orientation: number

  constructor(
    private readonly recognizers: Recognizers,
    image: Uint8Array,
  ) {
    recognizers.core.FS.writeFile(INPUT, image)
    this.orientation = orientationOf(image)
  }

  close(): void {
    this.recognizers.core.FS.unlink(INPUT)
  }

  /** Radians to turn it by. Tesseract's own estimate fails where lines are few, or slant by more than 10 degrees. */
  skew(): number {
    const api = this.recognizers.openLayout()
    return this.on(api, { quarters: -this.quarters, radians: 0 }, () => {
      const skew = findSkew(blackAndWhite(this.recognizers.core, api))
      return Math.abs(skew) < SMALL_SKEW ? 0 : skew
    })
  }

  /** Undefined where it has too few letters. */
  look(turn: Turn): Writing | undefined {
    const api = this.recognizers.openScripts()
    return this.on(api, turn, () => lookAtWriting(this.recognizers.core, api))
  }

  read(languages: readonly string[], turn: Turn): Reading {
    const reading = this.readWhole(languages, turn, AUTOMATIC_LAYOUT)
    if (!languages.includes(WIDELY_SPACED)) return reading
    const asColumn = this.readWhole(languages, turn, ONE_COLUMN)
    return sureLetters(asColumn) > sureLetters(reading) ? asColumn : reading
  }

  /** Confidence, 0..100, with which each of some lines is read in one language; 0 where nothing is. */
  readLines(language: string, turn: Turn, lines: readonly Line[]): number[] {
    const api = this.recognizers.open([language])
    api.SetVariable("tessedit_pageseg_mode", ONE_LINE)
    return this.on(api, turn, () =>
      lines.map(({ left, top, right, bottom }) => {
        const [x, y] = [Math.max(0, left - MARGIN), Math.max(0, top - MARGIN)]
        api.SetRectangle(x, y, right + MARGIN - x, bottom + MARGIN - y)
        api.Recognize(null)
        const read = readTsv(api.GetTSVText(0)).lines
        return read.length === 0 ? 0 : confidenceOf({ ...read[0]!, words: read.flatMap(({ words }) => words) })
      }),
    )
  }

  private get isMirrored(): boolean {
    return !QUARTERS.includes(this.orientation)
  }

  /** That the camera turned it by. */
  private get quarters(): number {
    return Math.max(0, QUARTERS.indexOf(this.orientation))
  }

  private readWhole(languages: readonly string[], turn: Turn, layout: string): Reading {
    const api = this.recognizers.open(languages)
    api.SetVariable("tessedit_pageseg_mode", layout)
    return this.on(api, turn, () => {
      api.Recognize(null)
      return readTsv(api.GetTSVText(0))
    })
  }

  private on<T>(api: CoreApi, { quarters, radians }: Turn, work: () => T): T {
    const orientation = this.isMirrored ? this.orientation : QUARTERS[(this.quarters + quarters + 4) % 4]!
    if (api.SetImageFile(orientation, radians) === 1) throw new Error("the picture cannot be decoded")
    try {
      return work()
    } finally {
      api.Clear()
    }
  }
}
