/**
 * How long one GraphQL query holds up everybody else at most: those that are refused for their length or form, the most
 * that validation can be given, the costliest that are admitted. Beside each, how late the daemon's answers to others are.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/graphql.ts [--rounds 10]
 */
import { parseArgs } from "node:util"
import { getIntrospectionQuery } from "graphql"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } })
const ROUNDS = Math.min(100, Number(values.rounds))
const FILES = 100
const PASSAGES = 20

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ")

const QUERIES: Record<string, string> = {
  "nothing but its name": "{ __typename }",
  "1 MB of tokens, refused": `{ ${"a ".repeat(520_000)} }`,
  "100 000 characters of tokens, refused": `{ ${"a ".repeat(49_990)} }`,
  "1 000 comments and a long string": `${"#\n".repeat(999)}{ search(query: "${"x".repeat(97_000)}") { totalCount } }`,
  "unknown fields, refused": `{ ${times(1_990, at => `f${at}`)} }`,
  "one name 50 times in many places": `{ ${times(6, at => `a${at}: files { nodes { ${"name ".repeat(50)} } ${"totalCount ".repeat(50)} } `)} }`,
  "50 fragments with two fields, all in one place": `{ files { ${times(50, at => `...F${at}`)} } } ${times(50, at => `fragment F${at} on FileConnection { nodes { a: id b: name } }`)}`,
  "aliases as many as tokens allow": `{ files(first: 1) { nodes { ${times(640, at => `a${at}: id`)} } } }`,
  "the introspection of GraphiQL": getIntrospectionQuery(),
  "as much introspection as a query may cost": `{ ${times(15, at => `a${at}: __schema { types { fields { args { type { name } } type { name ofType { name } } } } }`)} }`,
  "100 files with 20 passages each": `{ files(first: 100) { nodes { id name size passages(first: ${PASSAGES}) { nodes { id text position { page start } } } } } }`,
  "100 files with every field, five times": `{ ${times(5, at => `a${at}: files(first: 100) { nodes { id name type mimeType size sha256 status stage progress attempts pageCount ocrPageCount chunkCount characterCount contextId tags metadata acl externalId url createdAt updatedAt indexedAt warnings { code } source { key } } }`)} }`,
}

async function fill(daemon: Daemon): Promise<void> {
  for (let at = 0; at < FILES; at++)
    await daemon.upload(
      `file-${at}.txt`,
      `File ${at}. ${times(PASSAGES * 160, word => `word${(word * 7 + at) % 500}`)}`,
    )
  await daemon.settled()
}

/** The longest answer to somebody else while a query is worked on, and how long that took, ms. */
async function measure(daemon: Daemon, query: string) {
  let isOver = false
  let worst = 0
  const others = (async () => {
    while (!isOver) {
      const from = performance.now()
      await (await fetch(`${daemon.url}/healthz`)).arrayBuffer()
      worst = Math.max(worst, performance.now() - from)
    }
  })()
  await Bun.sleep(20)
  worst = 0
  const from = performance.now()
  const response = await fetch(`${daemon.url}/graphql`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": "application/json" },
    body: JSON.stringify({ query }),
  })
  const bytes = (await response.arrayBuffer()).byteLength
  const took = performance.now() - from
  isOver = true
  await others
  return { took, worst, bytes, status: response.status }
}

const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!

const daemon = await startDaemon(["--rate-limit-per-minute", "1000000"])
try {
  await fill(daemon)
  for (const [name, query] of Object.entries(QUERIES)) {
    const first = await measure(daemon, query)
    const taken = []
    for (let round = 0; round < ROUNDS; round++) taken.push(await measure(daemon, query))
    const took = median(taken.map(each => each.took)).toFixed(1)
    const worst = Math.max(...taken.map(each => each.worst)).toFixed(1)
    const usual = median(taken.map(each => each.worst)).toFixed(1)
    console.log(
      `${name}: ${first.status}, ${first.bytes} B, ${took} ms; others wait ${usual} (at most ${worst}) ms; the first time ${first.took.toFixed(1)} ms, others ${first.worst.toFixed(1)} ms`,
    )
  }
} finally {
  await daemon.remove()
}
