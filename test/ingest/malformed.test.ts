/**
 * Documents damaged at random: each becomes findable or fails with a documented reason, and the daemon lives on. A
 * failing run prints its seed; `MALFORMED_SEED` repeats it, `MALFORMED_SECONDS` makes it longer.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import fc from "fast-check"
import { findExtension } from "../../src/ingest/formats/formats.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

const SEED = Number(Bun.env.MALFORMED_SEED ?? crypto.getRandomValues(new Int32Array(1))[0])
const SECONDS = Number(Bun.env.MALFORMED_SECONDS ?? 6)
const MAX_RUNS = 20_000
/** Documents on their way at the same time. */
const AT_ONCE = 12
const REASONS = [
  "corrupt_file",
  "encrypted_file",
  "no_text",
  "archive_rejected",
  "extraction_timeout",
  "internal_error",
]

const FOLDER = join(import.meta.dir, "../fixtures/documents")
/** Scans and photographs are left out: recognising them takes seconds each. */
const FIXTURES = readdirSync(FOLDER).filter(
  name => findExtension(name) !== undefined && !/^(scan|photo)/.test(name) && !/\.(jpe?g|gif|webp)$/.test(name),
)

/** A copy of its own, without the surprises of `Buffer.slice`. */
const readFixture = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)))

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp({ "index-workers": "2", "reader-memory-mb": "512" })
  client = await app.client()
})
afterAll(() => app.stop())

type Damage = (bytes: Uint8Array) => Uint8Array

/** Where, as a share of the length. */
const place = fc.double({ min: 0, max: 1, noNaN: true })
const damage: fc.Arbitrary<Damage> = fc.oneof(
  place.map(at => (bytes: Uint8Array) => bytes.slice(0, Math.floor(at * bytes.length))),
  fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([at, patch]) => (bytes: Uint8Array) => {
    const changed = bytes.slice()
    patch.forEach((byte, i) => {
      changed[(Math.floor(at * bytes.length) + i) % Math.max(1, bytes.length)] = byte
    })
    return changed
  }),
  fc.tuple(place, fc.integer({ min: 1, max: 4_096 })).map(([at, length]) => (bytes: Uint8Array) => {
    const from = Math.floor(at * bytes.length)
    return bytes.slice().fill(0, from, Math.min(bytes.length, from + length))
  }),
  fc.tuple(place, place).map(([a, b]) => (bytes: Uint8Array) => {
    const [from, to] = [Math.floor(Math.min(a, b) * bytes.length), Math.floor(Math.max(a, b) * bytes.length)]
    return Buffer.concat([bytes.slice(0, to), bytes.slice(from)]) // a part twice
  }),
  fc.uint8Array({ minLength: 1, maxLength: 64 }).map(head => (bytes: Uint8Array) => Buffer.concat([head, bytes])),
)

const specimen = fc.record({
  name: fc.constantFrom(...FIXTURES),
  damages: fc.array(damage, { minLength: 1, maxLength: 4 }),
  /** Now and then under the name of another format. */
  disguise: fc.option(fc.constantFrom(...FIXTURES), { freq: 10 }),
})

test(
  "a damaged document is found or fails with its reason",
  async () => {
    const began = Date.now()
    const specimens = fc.sample(specimen, { seed: SEED, numRuns: Math.min(MAX_RUNS, SECONDS * 200) }).values()
    const outcomes: Record<string, number> = {}
    const open: string[] = []
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const { name, damages, disguise } of specimens) {
          if (Date.now() - began > SECONDS * 1_000) return
          const bytes = damages.reduce<Uint8Array>((data, change) => change(data), readFixture(name))
          const given = `${crypto.randomUUID()}${extname(disguise ?? name)}`
          const { status, body } = await client.upload([{ name: given, data: bytes }])
          if (bytes.length === 0) expect([status, body.error.code]).toEqual([400, "empty_file"])
          else {
            expect(status).toBe(202)
            const record = await client.settled(body.files[0].id).catch(() => undefined)
            if (!record) open.push(body.files[0].id)
            else {
              const outcome = record.status === "failed" ? record.error.code : record.status
              outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
              expect(["searchable", ...REASONS], `seed ${SEED}: ${name} as ${given}`).toContain(outcome)
              expect(JSON.stringify(record)).not.toMatch(/\.ts:\d|node_modules/)
            }
          }
        }
      }),
    )
    for (const id of open) {
      const { body } = await client.get(`/libraries/${id}`)
      // Its reader was ended; it is tried again later, at most four times in all.
      expect({ seed: SEED, ...body }).toMatchObject({ attempts: expect.any(Number) })
    }
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
    const [sound] = await client.index([{ name: "sound.txt", data: "The lighthouse is sound." }])
    expect(sound.status).toBe("searchable")
    console.log(`malformed documents, seed ${SEED}: ${JSON.stringify(outcomes)}, ${open.length} still open`)
  },
  { timeout: SECONDS * 1_000 + 60_000 },
)
