/** Pictures that come with a message: looked at before anything is stored. */
import { invalid } from "../../errors.ts"

/** Of one message. */
export const MAX_IMAGES = 8
/** Of one picture. */
export const MAX_IMAGE_BYTES = 10 * 1_048_576
/** What a picture's bytes begin with, by the types that models take. */
const BEGINNINGS = {
  "image/png": [[0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]],
  "image/jpeg": [[0, [0xff, 0xd8, 0xff]]],
  "image/gif": [[0, [0x47, 0x49, 0x46, 0x38]]],
  "image/webp": [
    [0, [0x52, 0x49, 0x46, 0x46]],
    [8, [0x57, 0x45, 0x42, 0x50]],
  ],
} as const satisfies Record<string, readonly (readonly [at: number, bytes: readonly number[]])[]>
export type ImageType = keyof typeof BEGINNINGS
export const IMAGE_TYPES = Object.keys(BEGINNINGS) as ImageType[]

/** RFC 4648, section 4, with its padding: what model servers take. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** As it comes with a request. */
export interface GivenImage {
  mime_type: string
  /** Base64. */
  data: string
}

export interface CheckedImage {
  mimeType: ImageType
  bytes: Uint8Array
}

/**
 * One picture after the other: each takes the event loop for some milliseconds. Takes them out of the list, so that their
 * texts, a hundred megabytes perhaps, do not stay as long as the request does.
 * @throws AppError invalid_request naming the picture: `images.2.data`
 */
export async function checkedImages(given: GivenImage[]): Promise<CheckedImage[]> {
  if (given.length > MAX_IMAGES) throw invalid("images", `must be at most ${MAX_IMAGES}`)
  const checked: CheckedImage[] = []
  for (let image = given.shift(); image; image = given.shift()) {
    checked.push(checkedImage(image, `images.${checked.length}`))
    await new Promise(setImmediate)
  }
  return checked
}

function checkedImage({ mime_type, data }: GivenImage, place: string): CheckedImage {
  const mimeType = IMAGE_TYPES.find(type => type === mime_type.toLowerCase())
  if (!mimeType) throw invalid(`${place}.mime_type`, `must be one of ${IMAGE_TYPES.join(", ")}`)
  if (data.length > Math.ceil(MAX_IMAGE_BYTES / 3) * 4)
    throw invalid(`${place}.data`, `a picture may have at most ${MAX_IMAGE_BYTES} bytes`)
  if (data.length % 4 !== 0 || !BASE64.test(data))
    throw invalid(`${place}.data`, "must be base64 (RFC 4648, with padding), without a data URL's head")
  const bytes = Buffer.from(data, "base64")
  if (bytes.length > MAX_IMAGE_BYTES)
    throw invalid(`${place}.data`, `a picture may have at most ${MAX_IMAGE_BYTES} bytes`)
  if (typeOf(bytes) !== mimeType)
    throw invalid(`${place}.mime_type`, `the data is ${typeOf(bytes) ?? "no such picture"}`)
  return { mimeType, bytes }
}

const typeOf = (bytes: Uint8Array): ImageType | undefined =>
  IMAGE_TYPES.find(type => BEGINNINGS[type].every(([at, begins]) => begins.every((byte, i) => bytes[at + i] === byte)))
