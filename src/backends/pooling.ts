/** From one vector per token to one unit vector per text. */
import type { Pooling } from "./embedding-folder.ts"

/** Row-major `[texts, tokens, width]`; `mask[text * tokens + token]` is 1 where there is a token and not padding. */
export interface TokenVectors {
  data: ArrayLike<number>
  texts: number
  tokens: number
  width: number
  mask: ArrayLike<number | bigint>
}

/** Unit vectors, row-major `[texts, width]`. */
export function pool(vectors: TokenVectors, pooling: Pooling): Float32Array {
  const { texts, width } = vectors
  const out = new Float32Array(texts * width)
  for (let text = 0; text < texts; text++) {
    const row = out.subarray(text * width, (text + 1) * width)
    if (pooling === "cls") add(row, vectors, text, 0)
    else if (pooling === "last") add(row, vectors, text, lastToken(vectors, text))
    else if (pooling === "max") keepLargest(row, vectors, text)
    else sum(row, vectors, text)
  }
  return toUnitLength(out, width)
}

/** Scales each row to length 1 in place. A row without direction becomes the first axis: never NaN, never zero. */
export function toUnitLength(rows: Float32Array, width: number): Float32Array {
  for (let start = 0; start < rows.length; start += width) {
    let squares = 0
    for (let i = start; i < start + width; i++) squares += rows[i]! * rows[i]!
    const length = Math.sqrt(squares)
    if (length > 0 && Number.isFinite(length)) for (let i = start; i < start + width; i++) rows[i]! /= length
    else rows.fill(0, start, start + width)[start] = 1
  }
  return rows
}

// The mean and the sum point the same way, and only the direction is kept.
function sum(row: Float32Array, vectors: TokenVectors, text: number): void {
  for (let token = 0; token < vectors.tokens; token++) if (isToken(vectors, text, token)) add(row, vectors, text, token)
}

function add(row: Float32Array, { data, tokens, width }: TokenVectors, text: number, token: number): void {
  const start = (text * tokens + token) * width
  for (let i = 0; i < width; i++) row[i]! += data[start + i]!
}

function keepLargest(row: Float32Array, vectors: TokenVectors, text: number): void {
  row.fill(Number.NEGATIVE_INFINITY)
  for (let token = 0; token < vectors.tokens; token++) {
    if (!isToken(vectors, text, token)) continue
    const start = (text * vectors.tokens + token) * vectors.width
    for (let i = 0; i < row.length; i++) row[i] = Math.max(row[i]!, vectors.data[start + i]!)
  }
}

function lastToken(vectors: TokenVectors, text: number): number {
  for (let token = vectors.tokens - 1; token > 0; token--) if (isToken(vectors, text, token)) return token
  return 0
}

function isToken({ mask, tokens }: TokenVectors, text: number, token: number): boolean {
  return Number(mask[text * tokens + token]) !== 0
}
