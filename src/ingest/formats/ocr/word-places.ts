/** Where the words of a picture stand in it as it was given: it is turned and set straight to be read. */
import type { RecognizedWord } from "../../pages/page.ts"
import type { Turn } from "./picture.ts"
import type { Box, Reading } from "./reading.ts"

/** Of the picture, in pixels, as it was given. */
export function sizeBefore({ width, height }: Reading, { quarters }: Turn): { width: number; height: number } {
  return quarters % 2 === 0 ? { width, height } : { width: height, height: width }
}

export function wordPlaces(reading: Reading, turn: Turn): RecognizedWord[] {
  const { lines, width, height } = reading
  if (width <= 0 || height <= 0) return []
  const back = turnedBack(turn, width, height)
  const { width: wide, height: high } = sizeBefore(reading, turn)
  return lines
    .flatMap(({ words }) => words)
    .map(word => {
      const corners = cornersOf(word).map(([x, y]) => back(x, y))
      const across = corners.map(([x]) => share(x / wide))
      const down = corners.map(([, y]) => share(y / high))
      return {
        text: word.text,
        left: Math.min(...across),
        right: Math.max(...across),
        top: Math.min(...down),
        bottom: Math.max(...down),
      }
    })
}

type Point = [x: number, y: number]

const share = (value: number): number => Math.min(1, Math.max(0, value))

const cornersOf = ({ left, top, right, bottom }: Box): Point[] => [
  [left, top],
  [right, top],
  [left, bottom],
  [right, bottom],
]

/** The place in the given picture of one in the turned picture, which has that size; y grows downwards. */
function turnedBack({ quarters, radians }: Turn, width: number, height: number): (x: number, y: number) => Point {
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)]
  return (x, y) => {
    const [dx, dy] = [x - width / 2, y - height / 2]
    const [sx, sy] = [width / 2 + cos * dx + sin * dy, height / 2 + cos * dy - sin * dx]
    const places: Point[] = [
      [sx, sy],
      [sy, width - sx],
      [width - sx, height - sy],
      [height - sy, sx],
    ]
    return places[((quarters % 4) + 4) % 4]!
  }
}
