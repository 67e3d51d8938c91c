/** A picture as a document of one page, upright as its camera says. */
import { type Core, type CorePicture, openCore } from "../formats/ocr/core.ts"
import { INPUT, orientationOf } from "../formats/ocr/picture.ts"
import { type PagedDocument, type PageSize, type Pixels, type PlacedText, pixelSize } from "./page.ts"
import { scaled } from "./scale.ts"

let core: Promise<Core> | undefined

/** Decoded by the library that reads its text: what can be read can be shown. @throws where it cannot be decoded */
export async function openPicture(bytes: Uint8Array): Promise<PagedDocument> {
  core ??= openCore()
  return new PicturePage(decode(await core, bytes))
}

class PicturePage implements PagedDocument {
  readonly pageCount = 1
  readonly isPicture = true

  constructor(private readonly picture: Pixels) {}

  sizeOf(index: number): PageSize | undefined {
    const { width, height } = this.picture
    return index === 0 ? { width, height } : undefined
  }

  draw(index: number, width: number): Pixels | undefined {
    return index === 0 ? scaled(this.picture, pixelSize(this.picture, width)) : undefined
  }

  charactersOf(): PlacedText[] {
    return []
  }

  entriesOf(): PlacedText[] {
    return []
  }

  close(): void {}
}

function decode(library: Core, bytes: Uint8Array): Pixels {
  const api = new library.TessBaseAPI()
  library.FS.writeFile(INPUT, bytes)
  try {
    api.InitForAnalysePage()
    if (api.SetImageFile(orientationOf(bytes), 0) === 1) throw new Error("the picture cannot be decoded")
    return pixelsOf(library, api.GetInputImage())
  } finally {
    library.FS.unlink(INPUT)
    api.End()
    library.destroy(api)
  }
}

function pixelsOf(library: Core, picture: CorePicture): Pixels {
  const { buffer } = library.memory
  const [width, height, depth, words] = [picture.get_w(), picture.get_h(), picture.get_d(), picture.get_wpl()]
  const source = new Uint32Array(buffer, picture.get_data(), words * height)
  const palette = paletteOf(library, picture) ?? (depth === 1 ? BLACK_IS_1 : undefined)
  const pixels = new Uint8Array(width * height * 3)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 3) {
      const bit = x * depth
      const word = source[y * words + (bit >>> 5)]!
      const value = depth === 32 ? word : word >>> (32 - depth - (bit & 31))
      if (depth === 32) {
        pixels[at] = value >>> 24
        pixels[at + 1] = value >>> 16
        pixels[at + 2] = value >>> 8
      } else {
        const index = value & (2 ** depth - 1)
        if (palette) pixels.set(palette.subarray(index * 3, index * 3 + 3), at)
        else pixels.fill(depth === 8 ? index : (index * 255) / (2 ** depth - 1), at, at + 3)
      }
    }
  return { width, height, pixels }
}

const BLACK_IS_1 = Uint8Array.from([255, 255, 255, 0, 0, 0])

/** Red, green and blue of each color; undefined where the pixels are no numbers of colors. */
function paletteOf(library: Core, picture: CorePicture): Uint8Array | undefined {
  const table = picture.get_colormap()
  if (library.getPointer(table) === 0) return undefined
  const count = Math.min(256, table.get_n())
  const entries = new Uint8Array(library.memory.buffer, table.get_array(), count * 4) // blue, green, red, opacity
  const colors = new Uint8Array(256 * 3)
  for (let i = 0; i < count; i++) colors.set([entries[i * 4 + 2]!, entries[i * 4 + 1]!, entries[i * 4]!], i * 3)
  return colors
}
