/** Several nodes that write the same index: whose work is whose, and who keeps it in order. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setLogLevel } from "../../../src/log.ts"
import type { Membership } from "../../../src/search/writing/membership.ts"
import { openSearch } from "../../support/engines.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"
import { librariesIn } from "../conformance/opensearch.ts"
import { inMemory, lines, type TestLibrary, wordEmbedder } from "../library.ts"

setLogLevel("error")
setDefaultTimeout(90_000)

const engine = await openSearch()

/** A cluster whose members and leader the test says. */
class Cluster {
  readonly living = new Set<string>()
  leader = "node_a"

  member(node: string): Membership {
    this.living.add(node)
    return { node, isLeader: () => this.leader === node, living: async () => this.living }
  }
}

if (engine) {
  const open = librariesIn(engine)
  const directory = () => directories[directories.push(mkdtempSync(join(tmpdir(), "nodes-test-"))) - 1]!
  const directories: string[] = []
  const opened: TestLibrary[] = []
  const openNode = async (...[options]: Parameters<typeof open>) => {
    const library = await open(options)
    opened.unshift(library)
    return library
  }
  afterEach(async () => {
    for (const library of opened.splice(0)) await library.close()
  })
  afterAll(() => {
    for (const path of directories) rmSync(path, { recursive: true, force: true })
  })

  const stage = (library: TestLibrary, id: string, generation: number, text: string) =>
    library.index.stage(
      { id, workspaceId: "ws_a" },
      generation,
      inMemory(text, lines(text)),
      () => {},
      AbortSignal.timeout(60_000),
    )

  /** An embedder that waits where a text says so, as a node does that is slow, or that hangs. */
  function waiting() {
    const entered = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const embedder = wordEmbedder()
    const { embed } = embedder
    embedder.embed = async (texts, ...rest) => {
      if (texts.some(text => text.includes("SLOW"))) {
        entered.resolve()
        await goOn.promise
      }
      return embed.call(embedder, texts, ...rest)
    }
    return { embedder, entered: entered.promise, goOn: goOn.resolve }
  }
  const stored = async (library: TestLibrary) => {
    await library.index.check() // counts what was written, refreshed or not
    return (await library.index.stats()).passages
  }

  test("nodes that write at once begin with the same table of vectors, and each finds what any published", async () => {
    const cluster = new Cluster()
    const where = directory()
    const nodes: TestLibrary[] = []
    for (const node of ["node_a", "node_b", "node_c"])
      nodes.push(await openNode({ directory: where, members: cluster.member(node) }))
    await Promise.all(nodes.map((node, i) => node.put(`file_${i}`, `The heron wades in pond${i}.`)))
    const tables = await nodes[0]!.db.selectFrom("vector_tables").select("state").execute()
    expect(tables).toEqual([{ state: "live" }])
    for (const node of nodes) {
      expect((await node.texts("heron", { mode: "keyword" })).length).toBe(3)
      expect((await node.texts("the heron wades in pond2", { mode: "semantic" }))[0]).toBe("The heron wades in pond2.")
    }
    expect(await nodes[1]!.index.check()).toEqual({ problems: [] })
  })

  test("what a living node writes is left alone, and swept once it is dead; what it writes later is never shown", async () => {
    const cluster = new Cluster()
    const where = directory()
    const slow = waiting()
    const a = await openNode({ directory: where, members: cluster.member("node_a") })
    const b = await openNode({ directory: where, members: cluster.member("node_b"), embedder: slow.embedder })
    const first = await b.register("file_a")
    const hung = stage(b, "file_a", first, "The heron is SLOW.").catch(error => error)
    await slow.entered
    // The job was leased anew: the former attempt is given up, and may go on.
    await a.put("file_a", "The otter swims.")
    await a.index.sweep()
    const generations = () => a.db.selectFrom("generations").select("state").where("owner", "=", "node_b").execute()
    expect(await generations()).toEqual([{ state: "dead" }])
    cluster.living.delete("node_b")
    await a.index.sweep()
    expect(await generations()).toEqual([])
    expect(await stored(a)).toBe(1)
    slow.goOn()
    expect(String(await hung)).toContain("overtaken")
    expect(await a.texts("heron otter", { mode: "keyword" })).toEqual(["The otter swims."])
    await a.index.sweep()
    await a.index.repair()
    expect(await a.index.check()).toEqual({ problems: [] })
    expect(await stored(a)).toBe(1)
  })

  test("a node that is not the leader sweeps nothing; the leader does so by itself, for the dead as well", async () => {
    const cluster = new Cluster()
    const where = directory()
    const a = await openNode({ directory: where, members: cluster.member("node_a") })
    const dying = await openNode({
      directory: where,
      members: cluster.member("node_b"),
      reached: point => {
        if (point === "vectors written") throw new Error("killed")
      },
    })
    await a.put("file_a", "The heron wades.")
    const generation = await dying.register("file_b")
    expect(await rejection(stage(dying, "file_b", generation, "The otter swims."))).toMatchObject({ message: "killed" })
    // As if it had not come to say so.
    await a.db
      .updateTable("generations")
      .set({ state: "staging", owner: "node_b" })
      .where("file_id", "=", "file_b")
      .execute()
    await a.remove("file_a")
    cluster.leader = "nobody"
    await a.index.sweep()
    await dying.index.stop()
    expect((await a.db.selectFrom("generations").select("id").execute()).length).toBe(2)
    cluster.living.delete("node_b")
    cluster.leader = "node_a"
    await until(async () => (await a.db.selectFrom("generations").select("id").execute()).length === 0)
    expect(await stored(a)).toBe(0)
  })

  test("a node whose word was lost on the way says again that it does not write any more", async () => {
    const cluster = new Cluster()
    const a = await openNode({ directory: directory(), members: cluster.member("node_a") })
    const generation = await a.register("file_a")
    await stage(a, "file_a", generation, "The heron wades.")
    await a.db.updateTable("generations").set({ state: "staging", owner: "node_a" }).execute()
    await until(async () => (await a.db.selectFrom("generations").select("id").execute()).length === 0)
    expect(await stored(a)).toBe(0)
  })

  test("the table that another node put in its place serves everywhere at once", async () => {
    const cluster = new Cluster()
    const where = directory()
    const next = wordEmbedder("test/next", 32)
    const embedderNamed = async (name: string) => (name === next.model ? next : wordEmbedder(name))
    const a = await openNode({ directory: where, members: cluster.member("node_a"), embedderNamed })
    const b = await openNode({ directory: where, members: cluster.member("node_b"), embedderNamed })
    await a.put("file_a", "The heron wades.\nThe otter swims.")
    expect((await b.search("otter")).index.embedding_model).toBe("test/words")
    cluster.leader = "nobody" // which would change it back to the configured one
    await a.index.reindexVectors("fast", next)
    const { index, degraded, hits } = await b.search("the otter swims", { mode: "semantic" })
    expect({ model: index.embedding_model, degraded }).toEqual({ model: "test/next", degraded: null })
    expect(hits[0]!.text).toBe("The otter swims.")
    await b.put("file_b", "The badger digs.")
    expect((await a.texts("the badger digs", { mode: "semantic" }))[0]).toBe("The badger digs.")
  })
}
