/** Views of the library that the signed-in user keeps. */
import { Elysia, t } from "elysia"
import { operation } from "../operation.ts"
import { Time } from "../schemas.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"

const SavedView = t.Object(
  {
    id: t.String({ examples: ["view_01m7y48vkz3s85f1acdta2"] }),
    name: t.String({ examples: ["Failed this year"] }),
    filters: t.Record(t.String(), t.String(), {
      description: "As the address of the page holds them: filters, order and columns",
      examples: [{ status: "failed", sort: "name" }],
    }),
    created_at: Time,
    updated_at: Time,
  },
  { title: "SavedView" },
)
const fields = { name: t.String(), filters: t.Record(t.String(), t.String()) }
const TAG = "Console"
const params = t.Object({ id: t.String() })

const listSavedViews = operation({
  id: "listSavedViews",
  audit: "nothing",
  session: "member",
  summary: "List the views of the library that you keep",
  description: "In the workspace of the session; nobody else sees them.",
  tag: TAG,
  answers: { 200: { description: "By name", schema: t.Object({ data: t.Array(SavedView) }) } },
})

const createSavedView = operation({
  id: "createSavedView",
  audit: { action: "saved_view.create", id: "answer.id" },
  session: "member",
  summary: "Keep a view of the library",
  description: "At most 100, each under a name of its own.",
  tag: TAG,
  body: t.Object(fields),
  example: { name: "Failed this year", filters: { status: "failed", sort: "name" } },
  answers: { 201: { description: "The view", schema: SavedView } },
  errors: ["conflict"],
})

const updateSavedView = operation({
  id: "updateSavedView",
  audit: { action: "saved_view.update", id: "params.id", fields: true },
  session: "member",
  summary: "Rename a view, or change what it shows",
  description: "What is left out stays as it is.",
  tag: TAG,
  params,
  body: t.Partial(t.Object(fields)),
  example: { name: "Failed in 2026" },
  answers: { 200: { description: "The view", schema: SavedView } },
  errors: ["not_found", "conflict"],
})

const deleteSavedView = operation({
  id: "deleteSavedView",
  audit: { action: "saved_view.delete", id: "params.id" },
  held: "not covered",
  session: "member",
  summary: "Delete a view",
  description: "The files that it shows stay.",
  tag: TAG,
  params,
  answers: { 204: { description: "Done" } },
  errors: ["not_found"],
})

export const savedViewRoutes = (services: Services) => {
  const { savedViews } = services
  return new Elysia({ prefix: "/external/keys" })
    .use(sessionCaller(services))
    .get("/views", async ({ session }) => ({ data: await savedViews.list(session) }), listSavedViews())
    .post(
      "/views",
      async ({ session, body, status }) => status(201, await savedViews.create(session, body)),
      createSavedView(),
    )
    .patch("/views/:id", ({ session, params, body }) => savedViews.change(session, params.id, body), updateSavedView())
    .delete(
      "/views/:id",
      async ({ session, params, set }) => {
        await savedViews.delete(session, params.id)
        set.status = 204
      },
      deleteSavedView(),
    )
}
