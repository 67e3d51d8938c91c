/** What must not compile: `npm run check` fails when one of the lines that expect an error has none. Nothing here runs. */
import { Elysia } from "elysia"
import { caller } from "../../src/http/context.ts"
import { operation } from "../../src/http/operation.ts"
import { createConversation } from "../../src/http/routes/conversations.docs.ts"
import { deleteFile, getFile, reindexFile, watchFile } from "../../src/http/routes/library.docs.ts"

const routes = new Elysia().use(caller)
const shape = { ok: true }
const answers = { 200: { description: "…" } } as const

export const refused = () => [
  // @ts-expect-error another body than the documented one
  routes.get("/:file_id", () => shape, getFile()),
  // @ts-expect-error a body where none is documented
  routes.delete("/:file_id", () => shape, deleteFile()),
  // @ts-expect-error another body than that of a status beside 200
  routes.post("/:file_id/reindex", async () => shape, reindexFile()),
  // @ts-expect-error JSON where a stream is documented
  routes.get("/:file_id/events", () => shape, watchFile()),
  // @ts-expect-error neither the JSON nor the stream that are documented
  routes.post("/", () => shape, createConversation()),
  // @ts-expect-error a status that is not documented
  routes.post("/:file_id/reindex", ({ status }) => status(200, shape), reindexFile()),
  // @ts-expect-error nobody is said to be let in
  operation({ id: "a", summary: "…", tag: "Files", answers }),
  // @ts-expect-error let in by a key, and anyone
  operation({ id: "a", scope: "chat", open: true, summary: "…", tag: "Files", answers }),
  // @ts-expect-error no summary
  operation({ id: "a", scope: "chat", tag: "Files", answers }),
  // @ts-expect-error no answer
  operation({ id: "a", scope: "chat", summary: "…", tag: "Files" }),
]
