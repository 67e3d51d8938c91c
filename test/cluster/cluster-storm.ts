/** Everything that clients do at once, through nodes picked at random, while a test breaks the cluster under them. */
import { expect } from "bun:test"
import { type Chance, chanceOf } from "../crash/chance.ts"
import { FileStorm } from "../crash/file-storm.ts"
import { TalkStorm } from "../crash/talk-storm.ts"
import { AnyNode } from "../support/any-node.ts"
import { type Cluster, NODE_NAMES } from "../support/cluster.ts"
import { type ClusterNode, FAKETIME } from "../support/cluster-node.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

/** Clients of each kind. */
const CLIENTS = 3
/** A client that was refused waits a little before it comes again. */
const AGAIN_MS = 200
/** From the end of a fault to everything ready: an engine that starts again takes most of it. */
const HEALED_MS = 180_000

export class ClusterStorm {
  private raging: Promise<unknown> | undefined

  private constructor(
    readonly cluster: Cluster,
    readonly nodes: ClusterNode[],
    readonly clients: AnyNode,
    private readonly files: FileStorm,
    private talks: TalkStorm,
    private readonly chance: Chance,
    readonly model: OllamaStandIn,
  ) {}

  /** Starts three nodes of the executable and a model behind them. */
  static async open(cluster: Cluster, command: string[], seed: number): Promise<ClusterStorm> {
    const model = await startOllama([LLAMA], 0, cluster.network.here)
    const nodes = NODE_NAMES.map(name => cluster.node(name, optionsOf(command, model)))
    await Promise.all(nodes.map(node => node.start()))
    const chance: Chance = chanceOf(seed)
    const clients = new AnyNode(nodes, await nodes[0]!.createKey("storm"), chance)
    const files = new FileStorm(clients, chance)
    return new ClusterStorm(cluster, nodes, clients, files, new TalkStorm(clients, chance, model), chance, model)
  }

  private set over(over: boolean) {
    this.files.over = over
    this.talks.over = over
  }

  begin(): void {
    // What one fault has broken is told once.
    this.talks = new TalkStorm(this.clients, this.chance, this.model)
    this.over = false
    const again = async (work: () => Promise<void>) => {
      while (!this.files.over) {
        await work() // ends with the first request that fails
        await Bun.sleep(AGAIN_MS)
      }
    }
    const kinds = [() => this.files.rage(), () => this.talks.converse()]
    const all = kinds.flatMap(kind => Array.from({ length: CLIENTS }, () => again(kind)))
    this.raging = Promise.all([...all, again(() => this.talks.runAgents())])
  }

  /** Ends the storm, waits until all is well again, and looks at every promise. Nodes that ended are started, as by a supervisor. */
  async endAndVerify(): Promise<void> {
    this.over = true
    await this.healed()
    await this.raging
    await this.files.settled()
    await this.files.verify()
    await this.eachNodeShowsTheSame()
    await until(
      async () => (await this.clients.call("GET", "/agents/runs?status=running")).pagination.total_items === 0,
    )
    await this.talks.verify()
  }

  async healed(): Promise<void> {
    const end = performance.now() + HEALED_MS
    for (const node of this.nodes)
      await until(
        async () => {
          if (!node.isRunning) node.launch()
          return (await node.probe("/readyz")) === 200
        },
        { within: end - performance.now(), everyMs: 500 },
      ).catch(async error => {
        throw new Error(`${node.name} is not ready again:\n${await node.logEnd()}`, { cause: error })
      })
  }

  private async eachNodeShowsTheSame(): Promise<void> {
    const lists = await Promise.all(
      this.nodes.map(async ({ url }) => {
        const response = await this.clients.fetch("/libraries?page_size=100&sort=name", {}, url)
        return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
      }),
    )
    for (const list of lists) expect(list).toEqual(lists[0]!)
    for (const [id, text] of this.files.contents()) {
      const response = await this.clients.fetch(`/libraries/${id}/content`)
      expect([response.status, await response.text()]).toEqual([200, text])
    }
  }

  /** Another program in the place of a node that has ended. */
  async replace(at: number, command: string[]): Promise<void> {
    const node = this.cluster.node(NODE_NAMES[at]!, optionsOf(command, this.model))
    this.nodes[at] = node
    await node.start()
  }

  async close(): Promise<void> {
    this.model.server.stop()
  }
}

const optionsOf = (command: string[], { server }: OllamaStandIn) => ({
  command,
  flags: ["--ollama-host", server.url, "--rate-limit-per-minute", "1000000", "--log-level", "warn"],
  steppable: FAKETIME !== undefined,
})
