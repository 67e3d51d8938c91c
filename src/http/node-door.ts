/**
 * What other nodes of the cluster may ask of this one: the events of replies and runs that it is at work on, and their end,
 * and what is meant for sessions of assistants that live here.
 * They show that they are nodes by a signature; to everybody else these paths are not there. What a client may see was
 * decided by the node that it asked.
 */
import type { AgentRuns } from "../agents/runs.ts"
import { RUNS_PATH } from "../agents/runs-over-nodes.ts"
import type { Chat } from "../chat/chat.ts"
import { REPLIES_PATH } from "../chat/live-over-nodes.ts"
import { ALIVE_PATH, PEER_PING_MS } from "../nodes/peers.ts"
import { SIGNATURE_HEADER, type Signatures } from "../nodes/signature.ts"
import { MCP_NODE_PATH } from "./mcp/other-nodes.ts"
import type { McpSessions } from "./mcp/sessions.ts"

/**
 * Answers a request of another node, undefined for all others.
 * @param admitted called once it is known to come from a node, before the answer
 */
export type NodeDoor = (request: Request, admitted: () => void) => Promise<Response | undefined>

export interface NodeDoorDependencies {
  signatures: Signatures
  chat: Pick<Chat, "written" | "cancelWritten">
  agents: Pick<AgentRuns, "here">
  mcp: Pick<McpSessions, "answerNode">
}

/** What is asked of one reply or run; `after` is the number of an event. */
interface Asked {
  id: string
  after: number
  signal: AbortSignal
  body(): Promise<Uint8Array>
}

/** Undefined where this node is not at work on it. */
type Answer = (asked: Asked, dependencies: NodeDoorDependencies) => Promise<Response | undefined>

const ANSWERS: Readonly<Record<string, Answer>> = {
  [`GET ${REPLIES_PATH}/events`]: async ({ id, after, signal }, { chat }) => {
    const live = chat.written(id)
    return live && lines(live.follow(after, signal))
  },
  [`POST ${REPLIES_PATH}/cancel`]: async ({ id }, { chat }) => done(await chat.cancelWritten(id)),
  [`GET ${RUNS_PATH}/events`]: async ({ id, after, signal }, { agents: { here } }) =>
    here.has(id) ? lines(here.follow(id, after, signal)) : undefined,
  [`GET ${RUNS_PATH}/end`]: async ({ id, signal }, { agents: { here } }) =>
    here.has(id) ? lines(once(here.wait(id, signal))) : undefined,
  [`POST ${RUNS_PATH}/cancel`]: async ({ id }, { agents: { here } }) => done(await here.cancel(id)),
  [`POST ${MCP_NODE_PATH}/send`]: async ({ id, body, signal }, { mcp }) =>
    lines(mcp.answerNode(id, JSON.parse(new TextDecoder().decode(await body())), signal)),
  [`POST ${RUNS_PATH}/detach`]: async ({ id }, { agents: { here } }) => done(await here.detach(id)),
}

const PATH = /^(\/_node\/\w+)\/(\w+)\/(\w+)$/

export function nodeDoor(dependencies: NodeDoorDependencies): NodeDoor {
  return async (request, admitted) => {
    const { method, headers, signal } = request
    const signature = headers.get(SIGNATURE_HEADER)
    if (signature === null) return undefined
    const { pathname, search, searchParams } = new URL(request.url)
    let read: Promise<Uint8Array> | undefined
    const body = () => (read ??= request.arrayBuffer().then(bytes => new Uint8Array(bytes)))
    const asked = { method, target: pathname + search, body }
    if (!(await dependencies.signatures.admits(signature, asked))) return undefined
    admitted()
    if (pathname === ALIVE_PATH) return new Response(null, { status: 204 })
    const [, kind, id = "", what] = PATH.exec(pathname) ?? []
    const after = Number(searchParams.get("after") ?? 0)
    const answer = await ANSWERS[`${method} ${kind}/${what}`]?.({ id, after, signal, body }, dependencies)
    return answer ?? new Response(null, { status: 404 })
  }
}

const done = (isDone: boolean): Response | undefined => (isDone ? new Response(null, { status: 204 }) : undefined)

async function* once(work: Promise<void>): AsyncGenerator<object> {
  await work
  yield {}
}

/** Each item as a line, taken when the other node is ready for it; blank lines in between show that this one is alive. */
function lines(items: AsyncGenerator<object>): Response {
  const encoder = new TextEncoder()
  let ping: Timer | undefined
  const end = () => {
    clearInterval(ping)
    void items.return(undefined)
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ping = setInterval(() => controller.enqueue(encoder.encode("\n")), PEER_PING_MS)
    },
    async pull(controller) {
      try {
        const { done: isOver, value } = await items.next()
        if (!isOver) return controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
        end()
        controller.close()
      } catch (error) {
        end() // cut off, so that the other node goes on with what is stored
        controller.error(error)
      }
    },
    cancel: end,
  })
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } })
}
