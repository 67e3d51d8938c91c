import { expect, test } from "bun:test"
import { VectorRows } from "../../src/search/vector-rows.ts"

function random(seed: number) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

for (const dimensions of [1, 15, 16, 17, 256, 384, 1024])
  test(`the kernel multiplies ${dimensions} signed bytes like plain arithmetic`, () => {
    const next = random(dimensions)
    const rows = new VectorRows(dimensions, "dots")
    rows.reserve(50)
    const vectors = Array.from({ length: 50 }, () =>
      Int8Array.from({ length: dimensions }, () => Math.round(next() * 254 - 127)),
    )
    for (const [row, vector] of vectors.entries()) rows.view(row, 1).set(new Uint8Array(vector.buffer))
    rows.setQuery(new Uint8Array(vectors[7]!.buffer))
    const expected = vectors.map(vector => vector.reduce((sum, value, i) => sum + value * vectors[7]![i]!, 0))
    expect([...rows.score(0, 50).subarray(0, 50)]).toEqual(expected)
  })

for (const bytes of [1, 16, 32, 96, 480])
  test(`the kernel counts differing bits of ${bytes} bytes`, () => {
    const next = random(bytes)
    const rows = new VectorRows(bytes, "distances")
    rows.reserve(20)
    const data = Array.from({ length: 20 }, () => Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256)))
    for (const [i, row] of data.entries()) rows.view(i, 1).set(row)
    rows.setQuery(data[3]!)
    const bits = (value: number) => value.toString(2).replaceAll("0", "").length
    const expected = data.map(row => row.reduce((sum, value, i) => sum + bits(value ^ data[3]![i]!), 0))
    expect([...rows.score(0, 20).subarray(0, 20)]).toEqual(expected)
  })
