/** How far the lines of a scanned page lie askew, found from its dark pixels alone. */

/** A picture of dark and light pixels. */
export interface BinaryImage {
  width: number
  height: number
  isDark(x: number, y: number): boolean
}

/** Radians. Pages fed askew rarely lie worse; beyond it the lines of the other direction begin to compete. */
const MAX_SKEW = (20 * Math.PI) / 180
const COARSE_STEP = Math.PI / 360
const FINE_STEP = COARSE_STEP / 8
/** The shorter side is looked at in about this many steps: lines of 8-point type are still apart. */
const GRID = 1000
const MAX_POINTS = 60_000
/** Fewer are a few letters at most. */
const MIN_POINTS = 60
/** Lines of text peak this much above the directions in which there are none; photographs do not. */
const CLEAR_PEAK = 1.25
/** A direction further from the best than this is another one, and a rival where it is nearly as clear. */
const APART = Math.PI / 60
const RIVAL = 0.55

/**
 * Radians by which the lines rise to the right (negative: fall), between -20° and 20°; 0 where no direction stands out.
 * Lines that run from top to bottom count as lines of a page turned by 90°.
 */
export function findSkew(image: BinaryImage): number {
  const rows = bestDirection(edges(image, 0, 1))
  const columns = bestDirection(edges(image, 1, 0))
  const best = columns.peak > rows.peak ? { ...columns, angle: -columns.angle } : rows
  return best.peak >= CLEAR_PEAK ? best.angle : 0
}

interface Points {
  /** Along the lines. */
  along: Float32Array
  /** Across them. */
  across: Float32Array
  /** Largest value of both. */
  extent: number
}

/** Dark points with a light one before them, in the direction (dx, dy): the upper edges of letters, not what they fill. */
function edges({ width, height, isDark }: BinaryImage, dx: number, dy: number): Points {
  const step = Math.max(1, Math.round(Math.min(width, height) / GRID))
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)]
  const found: number[] = []
  for (let y = dy; y < rows; y++)
    for (let x = dx; x < columns; x++)
      if (isDark(x * step, y * step) && !isDark((x - dx) * step, (y - dy) * step)) found.push(y * columns + x)
  const keep = Math.max(1, Math.ceil(found.length / MAX_POINTS))
  const kept = keep === 1 ? found : found.filter((_, i) => i % keep === 0)
  const x = Float32Array.from(kept, at => at % columns)
  const y = Float32Array.from(kept, at => Math.floor(at / columns))
  const extent = Math.max(columns, rows)
  return dy === 1 ? { along: x, across: y, extent } : { along: y, across: x, extent }
}

function bestDirection(points: Points): { angle: number; peak: number } {
  if (points.along.length < MIN_POINTS) return { angle: 0, peak: 0 }
  const bins = new Float64Array(Math.ceil(points.extent * 3))
  const scores: { angle: number; score: number }[] = []
  let best = { angle: 0, score: 0 }
  const look = (angle: number) => {
    const score = sharpness(points, angle, bins)
    if (score > best.score) best = { angle, score }
    return score
  }
  for (let angle = -MAX_SKEW; angle <= MAX_SKEW; angle += COARSE_STEP) scores.push({ angle, score: look(angle) })
  const coarse = best.angle
  const other = scores
    .filter(({ angle }) => Math.abs(angle - coarse) > APART)
    .reduce((most, { score }) => Math.max(most, score), 0)
  // Lines in several directions, as in drawings: none of them is the page's.
  if (other > best.score * RIVAL) best.angle = 0
  else for (let i = -8; i <= 8; i++) look(coarse + i * FINE_STEP)
  const usual = scores.map(({ score }) => score).sort((a, b) => a - b)[Math.floor(scores.length / 2)]!
  return { angle: best.angle, peak: best.score / usual }
}

/** How unevenly the points lie across lines of this direction: text leaves gaps between its lines. */
function sharpness({ along, across, extent }: Points, angle: number, bins: Float64Array): number {
  bins.fill(0)
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
  for (let i = 0; i < along.length; i++) {
    const bin = Math.floor(across[i]! * cos + along[i]! * sin + extent)
    bins[bin]!++
  }
  let sum = 0
  for (const count of bins) sum += count * count
  return sum
}
