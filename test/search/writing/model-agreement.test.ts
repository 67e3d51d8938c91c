import { afterEach, expect, test } from "bun:test"
import type { Embedder } from "../../../src/backends/backend.ts"
import { setLogLevel, setLogSink } from "../../../src/log.ts"
import type { Membership } from "../../../src/search/writing/membership.ts"
import { warnOfOtherModel } from "../../../src/search/writing/model-agreement.ts"

afterEach(() => {
  setLogSink(line => void process.stdout.write(`${line}\n`))
  setLogLevel("error")
})

async function warned({ recorded, configured, nodes }: { recorded: string; configured: string; nodes: string[] }) {
  const lines: Record<string, unknown>[] = []
  setLogLevel("warn")
  setLogSink(line => void lines.push(JSON.parse(line)))
  const models = {
    tiers: ["fast" as const],
    recorded: async () => ({ model: recorded }) as never,
    configured: async () => ({ model: configured }) as Embedder,
    outdated: async () => recorded !== configured,
  }
  const members: Membership = { node: "node_1", isLeader: () => false, living: async () => new Set(nodes) }
  await warnOfOtherModel(models, members)
  return lines.map(({ level, library, node }) => [level, library, node])
}

test("a node with another embedding model than the library is told so where others are at work, and only there", async () => {
  const nodes = ["node_1", "node_2"]
  expect(await warned({ recorded: "a", configured: "b", nodes })).toEqual([["warn", "a", "b"]])
  expect(await warned({ recorded: "a", configured: "a", nodes })).toEqual([])
  expect(await warned({ recorded: "a", configured: "b", nodes: ["node_1"] })).toEqual([])
})
