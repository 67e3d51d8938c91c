/** How many pictures follow one another in a file: an animation in GIF, PNG or WebP. */

/** Nobody needs the exact number of more. */
const MAX_FRAMES = 10_000

/** 1 for a still picture, and where the file is damaged before its second frame. */
export function frameCount(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return Math.max(1, countFrames(view))
  } catch (error) {
    if (error instanceof RangeError) return 1 // it ends early
    throw error
  }
}

function countFrames(view: DataView): number {
  const signature = view.getUint32(0)
  if (signature === 0x47494638) return gifFrames(view) // GIF8
  if (signature === 0x89504e47) return pngFrames(view)
  return signature === 0x52494646 ? webpFrames(view) : 1 // RIFF
}

const IMAGE = 0x2c
const EXTENSION = 0x21

/** GIF89a, section 20 ff.: blocks of sub-blocks. What is there before a damage counts. */
function gifFrames(view: DataView): number {
  let at = 13 + colorTableBytes(view.getUint8(10))
  let frames = 0
  while (at + 10 < view.byteLength && frames < MAX_FRAMES) {
    const kind = view.getUint8(at)
    if (kind === IMAGE) {
      frames++
      at += 11 + colorTableBytes(view.getUint8(at + 9))
    } else if (kind === EXTENSION) at += 2
    else break
    while (at < view.byteLength && view.getUint8(at) > 0) at += view.getUint8(at) + 1
    at++
  }
  return frames
}

const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** PNG, third edition, 11.3.6.1: the chunk acTL before the first data. */
function pngFrames(view: DataView): number {
  for (let at = 8; ; at += 12 + view.getUint32(at)) {
    const name = view.getUint32(at + 4)
    if (name === 0x6163544c) return view.getUint32(at + 8) // acTL
    if (name === 0x49444154) return 1 // IDAT
  }
}

/** Chunks ANMF of the container of WebP. */
function webpFrames(view: DataView): number {
  let frames = 0
  for (let at = 12; at + 8 <= view.byteLength && frames < MAX_FRAMES; ) {
    if (view.getUint32(at) === 0x414e4d46) frames++
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size & 1)
  }
  return frames
}
