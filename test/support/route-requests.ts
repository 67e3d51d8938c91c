/**
 * A request to each route of the table that succeeds: its path from things that were made for it, its body the example of the
 * document where that fits. `marked` stands in all that a caller writes, so that a test can look for it where no contents
 * belong.
 */
import { expect } from "bun:test"
import type { Declared } from "../../src/http/operation.ts"
import { MESSAGE_HEADERS } from "../http/mcp/support.ts"
import type { Client } from "./app.ts"
import type { Scenes } from "./model-script.ts"
import { PASSWORD, type People } from "./people.ts"
import { operations } from "./routes.ts"
import { until } from "./until.ts"

export const marked = "quxherondal"
const MODEL = "builtin/extractive"
const ASK = { message: `Where is the ${marked}?`, model: MODEL }
const SEARCH = { url: "/external/search", body: { query: marked } }
const PUSH = { type: "push", name: marked, config: {} }

export interface House {
  owner: Client
  people: People
  admin: { authorization: string }
  /** Of the daemon. */
  url: string
  /** Of the model. */
  scenes: Scenes
  /** A key of another workspace. */
  of(workspace: string): Promise<Client>
  /** Of a page that may be fetched. */
  page: string
  /** Whose pages have pictures. */
  pdf: Uint8Array
}

export interface Request {
  /** Ids by the parameter of the path that they stand in. */
  params?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
  /** Path and query, where they are given as a whole. */
  at?: string
  /** Who may keep by a hold what it is about, where that is somebody else. */
  holder?: Client
}

type Make = (house: House) => Promise<Record<string, string>>

let serial = 0
const unique = (what: string) => `${what}-${++serial}`
const id = (body: { id: string }) => ({ id: body.id })

const file: Make = async ({ owner }) => {
  const data = `The ${marked} number ${++serial} stands in the reeds.`
  const [made] = await owner.index([{ name: `${marked}-${serial}.txt`, data }], { context_id: "walk" })
  return { file_id: made.id, vector_store_id: "vs_walk", name: made.name }
}
const pdf = async ({ owner, pdf }: House): Promise<string> =>
  (await owner.index([{ name: `${marked}.pdf`, data: pdf }], { on_duplicate: "keep_both" }))[0].id
const conversation: Make = async ({ owner }) => {
  const { body } = await owner.post("/start-conversation", { ...ASK, end_user: unique("person") })
  return { conversation_id: body.conversation_id, message_id: body.messages[1].id, end_user: `person-${serial}` }
}
const run: Make = async ({ owner }) => {
  const { body } = await owner.post("/agents/run", { task: ASK.message, model: MODEL })
  return { run_id: body.run_id }
}
const waiting: Make = async ({ owner, scenes }) => {
  const note = [{ name: "local.note", arguments: { path: "/dev/null", line: marked } }]
  scenes.add(`note${++serial}`, (_, count) => (count === 0 ? { tools: note } : { text: "Noted." }))
  const task = { task: `case-note${serial} Note it`, tools: ["local.note"] }
  const { body } = await owner.post("/agents/run", task)
  expect(body.status).toBe("waiting_for_approval")
  return { run_id: body.run_id, approval_id: body.approvals[0].id }
}
const response: Make = async ({ owner }) => {
  const { body } = await owner.under("").post("/v1/responses", { input: ASK.message, model: MODEL })
  return { response_id: body.id }
}
const batch: Make = async ({ owner }) => {
  const { body } = await owner.post("/batches", { requests: [{ custom_id: "1", method: "POST", ...SEARCH }] })
  await until(async () => (await owner.get(`/batches/${body.id}`)).body.status === "completed")
  return { batch_id: body.id }
}
/** One that goes on until it is cancelled. */
const heldBatch = async ({ owner }: House): Promise<Request> => {
  const line = { custom_id: "1", method: "POST", url: "/external/conversations", body: { message: "case-held wait" } }
  return { params: { batch_id: (await owner.post("/batches", { requests: [line] })).body.id } }
}
const assistant = async ({ owner, url }: House): Promise<Request> => {
  const headers = { ...owner.credentials, ...MESSAGE_HEADERS }
  const opened = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(exampleOf("mcpSend")) })
  return { headers: { "mcp-session-id": opened.headers.get("mcp-session-id")! } }
}
const fileBatch: Make = async house => {
  const { file_id } = await file(house)
  const { body } = await house.owner.under("").post("/v1/vector_stores/vs_walk/file_batches", { file_ids: [file_id] })
  return { batch_id: body.id, vector_store_id: "vs_walk" }
}
const made =
  (path: string, body: (house: House) => object, name: string): Make =>
  async house => {
    const answer = await house.owner.post(path, body(house))
    expect([path, answer.status]).toEqual([path, 201])
    return { [name]: id(answer.body).id }
  }
const source = made("/sources", () => PUSH, "source_id")
const webhook = made("/webhooks", () => ({ url: "http://127.0.0.1:9/hook" }), "webhook_id")
const schedule = made("/schedules", () => ({ name: marked, every: "1d", request: SEARCH }), "schedule_id")
const hold = made("/holds", () => ({ name: marked, end_user: "nobody" }), "hold_id")
const receipt: Make = async house => {
  // Of a conversation it comes sooner than of a file, whose index is written anew first.
  const { headers } = await house.owner.delete(`/conversations/${(await conversation(house)).conversation_id}`)
  const receipt_id = headers.get("x-receipt-id")!
  await until(async () => (await house.owner.get(`/receipts/${receipt_id}`)).status === 200, { within: 30_000 })
  return { receipt_id }
}
const job: Make = async ({ owner }) => {
  const filter = { type: "eq", key: "file.name", value: "none" }
  const { body } = await owner.post("/libraries/bulk", { action: "reindex", filter })
  await until(async () => (await owner.get(`/jobs/${body.job_id}`)).body.status === "completed")
  return { job_id: body.job_id }
}
const model: Make = async () => ({ model: encodeURIComponent(`library/${MODEL}`) })

/** An answer that was written anew, and the one that it took the place of. */
const writtenAnew: Make = async house => {
  const { conversation_id, message_id } = await conversation(house)
  const anew = `/conversations/${conversation_id}/messages/${message_id}/regenerate`
  const { body } = await house.owner.post(anew, { model: MODEL }, { accept: "application/json" })
  return { conversation_id: conversation_id!, message_id: body.messages.at(-1).id, variant_id: message_id! }
}

/** What stands in paths; the first that has all of a path's parameters is made for it. */
const MAKERS: [parameters: string[], make: Make][] = [
  [[], async () => ({})],
  [["file_id", "vector_store_id", "page"], async house => ({ ...(await file(house)), page: "1" })],
  [["conversation_id", "message_id", "end_user"], conversation],
  [["conversation_id", "message_id", "variant_id"], writtenAnew],
  [["run_id"], run],
  [["run_id", "approval_id"], waiting],
  [["response_id"], response],
  [["batch_id"], batch],
  [["batch_id", "vector_store_id"], fileBatch],
  [["source_id"], source],
  [["webhook_id"], webhook],
  [["schedule_id"], schedule],
  [["hold_id"], hold],
  [["receipt_id"], receipt],
  [["job_id"], job],
  [["model"], model],
]

/** Things that lie in the console. */
const key = async ({ people, admin }: House) => (await people.call("POST", "", { name: "walked" }, admin)).body
const invitation = async ({ people, admin }: House) =>
  (await people.call("POST", "/invitations", { email: `${unique("new")}@example.org`, role: "member" }, admin)).body
const workspace = async ({ people, admin }: House) =>
  (await people.call("POST", "/workspaces", { name: unique("walked") }, admin)).body
const form = (fields: Record<string, string>, name: string, data: string, part = "files") => {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append(part, new Blob([data]), name)
  return body
}
const anotherVersion = async (house: House) => {
  const { name } = await file(house)
  return form({ context_id: "walk", on_duplicate: "replace" }, name!, `Another ${marked} ${++serial}.`)
}
const member = async ({ people }: House) => (await people.make()).id
const resetToken = async (house: House): Promise<string> => {
  const { body } = await house.people.call("POST", `/users/${await member(house)}/reset-link`, {}, house.admin)
  return body.token
}
const savedView = async ({ people, admin }: House): Promise<{ id: string }> =>
  (await people.call("POST", "/views", { name: unique("view"), filters: { status: "failed" } }, admin)).body
const everyFile = { type: "exists", key: "file.id", value: true }

/** Where neither path nor example says enough; by operation. */
const REQUESTS: Record<string, (house: House) => Promise<Request> | Request> = {
  createChatCompletion: () => ({ body: { model: `library/${MODEL}`, messages: [{ role: "user", content: marked }] } }),
  createResponse: () => ({ body: { model: MODEL, input: marked } }),
  cancelResponse: async ({ owner }) => {
    const given = { model: "ollama/llama3.2:3b", input: "case-held wait", background: true }
    return { params: { response_id: (await owner.under("").post("/v1/responses", given)).body.id } }
  },
  createEmbeddings: () => ({ body: { model: "carrel-embed-multi-v1", input: marked } }),
  rerank: () => ({ body: { query: marked, documents: [marked] } }),
  rerankV2: () => ({ body: { query: marked, documents: [marked] } }),
  retrieve: () => ({ body: { knowledge_id: "*", query: marked, retrieval_setting: { top_k: 2, score_threshold: 0 } } }),
  retrieveV1: () => ({
    body: { knowledge_id: "*", query: marked, retrieval_setting: { top_k: 2, score_threshold: 0 } },
  }),
  createFileObject: () => ({ body: form({ purpose: "assistants" }, `${unique(marked)}.txt`, unique(marked), "file") }),
  createBatch: async ({ owner }) => {
    const line = { custom_id: "1", method: "POST", url: "/v1/embeddings", body: { input: marked } }
    const given = form({ purpose: "batch" }, "lines.jsonl", `${JSON.stringify(line)}\n`, "file")
    const { body } = await owner.under("").post("/v1/files", given)
    return { body: { input_file_id: body.id, endpoint: "/v1/embeddings", completion_window: "24h" } }
  },
  cancelBatch: heldBatch,
  cancelStartedBatch: heldBatch,
  mcpListen: assistant,
  mcpEnd: assistant,
  createVectorStore: () => ({ body: { name: unique(marked) } }),
  searchVectorStore: () => ({ body: { query: marked } }),
  createVectorStoreFile: async house => ({ body: { file_id: (await file(house)).file_id } }),
  createVectorStoreFileBatch: async house => ({ body: { file_ids: [(await file(house)).file_id] } }),
  openLink: async house => linkTo(house),
  openLinkPicture: async house => {
    const { at } = await linkTo(house, await pdf(house))
    const html = await (await fetch(house.url + at)).text()
    const { pathname, search } = new URL(
      /class="picture" src="([^"]+)"/.exec(html)![1]!.replaceAll("&amp;", "&"),
      house.url + at,
    )
    return { at: pathname + search }
  },
  queryGraphql: () => ({ body: { query: `{ files(name: "${marked}") { totalCount } }` } }),
  queryGraphqlByAddress: () => ({ query: `?query=${encodeURIComponent("{ files { totalCount } }")}` }),
  uploadFiles: async house => ({ body: await anotherVersion(house) }),
  uploadFilesByPut: async house => ({ body: await anotherVersion(house) }),
  addText: async ({ owner }) => {
    const text = (words: string) => ({ name: "note", text: words, external_id: "walked", context_id: "walk" })
    const { body } = await owner.post("/libraries/text", text(unique(marked)))
    await owner.settled(body.id)
    return { body: text(unique(marked)) }
  },
  addUrl: async ({ owner, page }) => {
    const body = { url: `${page}&n=${++serial}` }
    await owner.settled((await owner.post("/libraries/url", body)).body.id)
    return { body }
  },
  updateFile: () => ({ body: { tags: [marked] } }),
  getFacets: () => ({ query: "?keys=file.type" }),
  changeFiles: () => ({ body: { action: "patch", filter: everyFile, patch: { tags: [marked] } } }),
  listPages: async house => ({ params: { file_id: await pdf(house) } }),
  getPagePicture: async house => ({ params: { file_id: await pdf(house), page: "1.png" } }),
  getPageMarks: async house => ({ params: { file_id: await pdf(house), page: "1" }, query: "?start=0&end=3" }),
  createLink: async house => ({ body: { file_id: (await file(house)).file_id } }),
  createSource: () => ({ body: PUSH }),
  syncSource: async house => {
    const { body } = await house.owner.post("/sources", { type: "web", name: marked, config: { url: house.page } })
    return { params: { source_id: body.id }, body: { dry_run: true } }
  },
  updateSource: () => ({ body: { name: unique(marked) } }),
  sendManifest: () => ({ body: { entries: [{ key: `${marked}.txt`, fingerprint: "1", size: 1 }] } }),
  search: () => ({ body: SEARCH.body }),
  findDocuments: () => ({ body: SEARCH.body }),
  createConversation: () => ({ body: ASK }),
  sendMessage: () => ({ body: ASK }),
  updateConversation: () => ({ body: { title: marked } }),
  regenerateMessage: () => ({ body: { model: MODEL } }),
  startConversation: () => ({ body: ASK }),
  send: async house => ({ body: { ...ASK, conversation_id: (await conversation(house)).conversation_id } }),
  continueConversation: async house => ({
    body: { conversation_id: (await conversation(house)).conversation_id, model: MODEL },
  }),
  cancelReply: async ({ owner }) => {
    const asked = await owner.raw("POST", "/conversations", { message: "case-held wait" })
    const reader = asked.body!.getReader()
    const { value } = await reader.read()
    return { params: { conversation_id: /conv_\w+/.exec(new TextDecoder().decode(value))![0] } }
  },
  replayAnswer: () => ({ body: { model: MODEL } }),
  shareConversation: () => ({ body: { users: [] } }),
  shareRun: () => ({ body: { users: [] } }),
  runAgent: () => ({ body: { task: ASK.message, model: MODEL } }),
  cancelRun: async ({ owner }) => {
    const asked = await owner.send("POST", "/agents/run", { task: "case-held wait" }, { prefer: "respond-async" })
    return { params: { run_id: asked.body.run_id } }
  },
  createSchedule: () => ({ body: { name: marked, every: "1d", request: SEARCH } }),
  redeliver: () => ({ body: { since: "2026-01-01T00:00:00Z" } }),
  createWebhook: () => ({ body: { url: "http://127.0.0.1:9/hook" } }),
  createHold: () => ({ body: { name: marked, end_user: "nobody" } }),
  setRetention: () => ({ body: { rules: [] } }),
  createToken: () => ({ body: { expires_in: 60 } }),
  signIn: async ({ people }) => ({ body: { email: (await people.make()).email, password: PASSWORD } }),
  readInvitation: async house => ({ body: { token: (await invitation(house)).token } }),
  acceptInvitation: async house => ({
    body: { token: (await invitation(house)).token, password: PASSWORD, name: "New" },
  }),
  signOut: async ({ people }) => ({ headers: (await people.add()).session }),
  changePassword: async ({ people }) => ({
    body: { current_password: PASSWORD, new_password: "staple battery horse" },
    headers: (await people.add()).session,
  }),
  updateKey: async house => ({ params: id(await key(house)) }),
  rotateKey: async house => ({ params: id(await key(house)) }),
  revokeKey: async house => ({ params: id(await key(house)) }),
  endSession: async ({ people }) => {
    const { session } = await people.add()
    const { body } = await people.call("GET", "/sessions", undefined, session)
    return { params: id(body.data?.[0] ?? body[0]), headers: session }
  },
  updateUser: async house => ({ params: { id: await member(house) }, body: { name: "Grace" } }),
  createResetLink: async house => ({ params: { id: await member(house) } }),
  readResetLink: async house => ({ body: { token: await resetToken(house) } }),
  acceptResetLink: async house => ({ body: { token: await resetToken(house), password: "staple battery horse" } }),
  deleteUser: async house => ({ params: { id: await member(house) } }),
  keepPrompt: () => ({ params: { name: unique("prompt") }, body: { text: marked } }),
  deletePrompt: async ({ people, admin }) => {
    const name = unique("prompt")
    await people.call("PUT", `/prompts/${name}`, { text: marked }, admin)
    return { params: { name } }
  },
  createSavedView: () => ({ body: { name: unique(marked), filters: { status: "failed" } } }),
  updateSavedView: async house => ({ params: id(await savedView(house)), body: { name: unique(marked) } }),
  deleteSavedView: async house => ({ params: id(await savedView(house)) }),
  createInvitation: () => ({ body: { email: `${unique("new")}@example.org`, role: "member" } }),
  deleteInvitation: async house => ({ params: id(await invitation(house)) }),
  createWorkspace: () => ({ body: { name: unique(marked) } }),
  updateWorkspace: async house => ({ params: id(await workspace(house)), body: { name: unique(marked) } }),
  deleteWorkspace: async house => {
    const { id, name } = await workspace(house)
    return { params: { id }, holder: await house.of(name) }
  },
  addWorkspaceMember: async house => ({
    params: { ...id(await workspace(house)), user_id: await member(house) },
    body: {},
  }),
  removeWorkspaceMember: async house => {
    const given = { ...id(await workspace(house)), user_id: await member(house) }
    await house.people.call("PUT", `/workspaces/${given.id}/members/${given.user_id}`, {}, house.admin)
    return { params: given }
  },
}

async function linkTo(house: House, fileId?: string): Promise<{ at: string }> {
  const { body } = await house.owner.post("/links", { file_id: fileId ?? (await file(house)).file_id })
  const { pathname, search } = new URL(body.url)
  return { at: pathname + search }
}

/** Of those who only read. */
const shared = new Map<Make, Promise<Record<string, string>>>()
function things(make: Make, house: House, mayChange: boolean): Promise<Record<string, string>> {
  if (mayChange) return make(house)
  const known = shared.get(make) ?? make(house)
  shared.set(make, known)
  return known
}

/** What is asked of an operation. Things are made anew for one that may change them. */
export async function requestOf(
  { id: operationId, audit }: Declared,
  path: string,
  house: House,
): Promise<Request & { at: string }> {
  const mayChange = audit !== "nothing"
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const own = (await REQUESTS[operationId]?.(house)) ?? {}
  const given = own.params ?? {}
  const maker = MAKERS.find(([parameters]) => names.every(name => name in given || parameters.includes(name)))
  if (!maker && !own.at) throw new Error(`nothing is made for ${path}: test/support/route-requests.ts`)
  const isWhole = own.at !== undefined || names.every(name => name in given)
  const params: Record<string, string> = isWhole ? given : { ...(await things(maker![1], house, mayChange)), ...given }
  const at = own.at ?? path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!) + (own.query ?? "")
  return { ...own, at, body: own.body ?? exampleOf(operationId) }
}

/** The body in the document. */
export function exampleOf(operationId: string): unknown {
  const { entry } = operations.find(({ entry }) => entry.operationId === operationId)!
  return entry.requestBody?.content["application/json"]?.example
}
