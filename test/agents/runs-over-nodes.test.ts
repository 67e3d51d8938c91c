import { expect, test } from "bun:test"
import type { RunsHere } from "../../src/agents/live-runs.ts"
import type { RunStore } from "../../src/agents/run-store.ts"
import { RunsOverNodes } from "../../src/agents/runs-over-nodes.ts"
import type { Peers } from "../../src/nodes/peers.ts"

test("whoever waits for a run of a node that was taken for dead meanwhile waits for the end that its row tells", async () => {
  const row = { owner: undefined, isRunning: true, isGivenUp: true }
  const here = { has: () => true, wait: async () => {} } // its end was stored by nobody: it is another node's row by then
  const store = { ownerOf: async () => row }
  const recover = async () => void Object.assign(row, { isRunning: false, isGivenUp: false })
  const runs = new RunsOverNodes(here as unknown as RunsHere, store as unknown as RunStore, {} as Peers, recover)
  await runs.wait("run_1", new AbortController().signal)
  expect(row.isRunning).toBe(false)
})
