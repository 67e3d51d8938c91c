/** The Model Context Protocol over HTTP, for assistants: one address that takes messages, streams them, and ends sessions. */
import { Elysia } from "elysia"
import { AppError } from "../../errors.ts"
import { caller, type RequestContext } from "../context.ts"
import type { OpenRequest } from "../open-requests.ts"
import type { Services } from "../services.ts"
import * as docs from "./routes.docs.ts"

export const MCP_PATH = "/mcp"

export const mcpRoutes = ({ mcp }: Pick<Services, "mcp">) => {
  const handle = async (request: Request, context: RequestContext, message?: unknown): Promise<Response> => {
    const { principal, requestId } = context
    if (!principal) throw new AppError("unauthorized")
    const open = context.keepOpen()
    const asked = { request, message, caller: { principal, requestId, signal: open.signal } }
    const { response, closed } = await mcp.handle(asked)
    if (response.body) return lasting(response, open, closed)
    closed()
    return response
  }
  return new Elysia()
    .use(caller)
    .post(MCP_PATH, ({ body, request, context }) => handle(request, context, body), docs.post())
    .get(MCP_PATH, ({ request, context }) => handle(request, context), docs.listen())
    .delete(
      MCP_PATH,
      async ({ request, context, set }) => {
        await handle(request, context)
        set.status = 204
      },
      docs.end(),
    )
}

/** A comment: the runtime sends no head before the first byte, and who listens may hear nothing for long. */
const GREETING = new TextEncoder().encode(": open\n\n")

/** The stream, ended when its credential is or the client leaves; `closed` is called when it is over. */
function lasting({ body, status, headers }: Response, { signal, close }: OpenRequest, closed: () => void): Response {
  const messages = body!.getReader()
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    signal.removeEventListener("abort", leave)
    close()
    closed()
  }
  let control: ReadableStreamDefaultController<Uint8Array>
  const leave = () => {
    if (isOver) return
    end()
    void messages.cancel().catch(() => {})
    if (signal.reason instanceof AppError) control.close()
  }
  const relayed = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller
      controller.enqueue(GREETING)
      if (signal.aborted) leave()
      else signal.addEventListener("abort", leave, { once: true })
    },
    async pull(controller) {
      const { done, value } = await messages.read()
      if (isOver) return
      if (!done) return controller.enqueue(value)
      end()
      controller.close()
    },
    cancel: leave,
  })
  return new Response(relayed, { status, headers })
}
