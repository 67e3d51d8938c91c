/**
 * Sessions over the nodes of a cluster: each lives on the node that opened it, whose id is part of its own. A node that is
 * asked for another's passes the message on, with who asks as it has found out itself, and the answer back as it comes.
 */
import { AppError, ERRORS, type ErrorCode } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Node } from "../../nodes/nodes.ts"
import type { Peers } from "../../nodes/peers.ts"
import type { McpCaller } from "./call.ts"

export const MCP_NODE_PATH = "/_node/mcp"

/** A request for a session, as one node passes it on to another. */
export interface PassedOn {
  method: string
  /** Those that the protocol knows. */
  headers: Record<string, string>
  message: unknown
  caller: Omit<McpCaller, "signal">
}

/** What comes back, one after the other: the head or why there is none, then the body. */
export type Part =
  | { status: number; headers: Record<string, string> }
  | { error: { code: ErrorCode; message: string } }
  | { text: string }

export class OtherNodes {
  constructor(
    private readonly node: Pick<Node, "id" | "alive">,
    private readonly peers: Pick<Peers, "stream">,
  ) {}

  get self(): string {
    return this.node.id
  }

  /** The answer of the node that is named; undefined where that is none any more. @throws AppError what it refuses */
  async ask(nodeId: string, session: string, passed: PassedOn, signal: AbortSignal): Promise<Response | undefined> {
    const there = (await this.node.alive()).find(({ id }) => id === nodeId)
    if (!there?.url) return undefined
    const { id, url } = there
    const body = new TextEncoder().encode(JSON.stringify(passed))
    const parts = this.peers.stream({ id, url }, `${MCP_NODE_PATH}/${session}/send`, signal, body) as AsyncGenerator<
      Part,
      void
    >
    try {
      const { value: head } = await parts.next()
      if (head && "status" in head && isStream(head)) return new Response(bodyOf(parts), head)
      await parts.return()
      if (head && "status" in head) return new Response(null, head)
      if (head && "error" in head && head.error.code in ERRORS)
        throw new AppError(head.error.code, { message: head.error.message })
    } catch (error) {
      if (error instanceof AppError) throw error
      log.debug("a session of another node could not be asked", { node: id, error: String(error) })
    }
    return undefined
  }
}

const isStream = ({ headers }: { headers: Record<string, string> }): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") ?? false

function bodyOf(parts: AsyncGenerator<Part, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next().catch(() => ({ done: true, value: undefined })) // the node is gone
      if (done) controller.close()
      else if (value && "text" in value) controller.enqueue(encoder.encode(value.text))
    },
    cancel: () => void parts.return(),
  })
}

/** An answer of this node, for another one. */
export async function* partsOf({ body, status, headers }: Response, signal: AbortSignal): AsyncGenerator<Part, void> {
  yield { status, headers: Object.fromEntries(headers) }
  if (!body) return
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener("abort", leave, { once: true })
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield { text: decoder.decode(value, { stream: true }) }
    }
  } finally {
    signal.removeEventListener("abort", leave)
    leave()
  }
}
