/** Every route is declared by `operation`: who may call it, what it answers, and what the reference says of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { NO_EXAMPLE } from "../../src/http/openapi-schemas.ts"
import { TAGS } from "../../src/http/operation.ts"
import { needsCredentials } from "../../src/http/server.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { document, operations, routes } from "../support/routes.ts"

/** Clients are generated with these names: one that changes breaks them. */
const OPERATIONS = [
  ...["getHealth", "getReadiness", "getMetrics"],
  ...["uploadFiles", "uploadFilesByPut", "listFiles", "getFile", "updateFile", "deleteFile", "downloadFile"],
  ...["addText", "addUrl"],
  ...["listAudit", "exportAudit", "verifyAudit"],
  ...["getConversationShares", "shareConversation", "getRunShares", "shareRun"],
  ...["createHold", "listHolds", "getHold", "liftHold", "getRetention", "setRetention", "previewRetention"],
  ...["createSource", "listSources", "getSource", "updateSource", "deleteSource", "syncSource"],
  ...["listSourceSyncs", "getSourceCoverage", "sendManifest"],
  ...["listPages", "getPagePicture", "getPageMarks"],
  ...["createLink", "openLink", "openLinkPicture"],
  ...["getFacets", "getSummary", "changeFiles", "getJob"],
  ...["getFileText", "reindexFile", "watchFile", "search", "findDocuments", "listModels"],
  ...["createConversation", "sendMessage", "regenerateMessage", "listConversations", "getConversation"],
  ...["getAnswerRecord", "replayAnswer"],
  ...["updateConversation", "deleteConversation", "followConversation", "cancelReply"],
  ...["mcpSend", "mcpListen", "mcpEnd", "queryGraphql", "queryGraphqlByAddress", "getGraphqlSchema"],
  ...["listCompatibleModels", "getCompatibleModel", "createChatCompletion", "createEmbeddings"],
  ...["rerank", "rerankV2", "retrieve", "retrieveV1"],
  ...["createFileObject", "listFileObjects", "getFileObject", "deleteFileObject", "downloadFileObject"],
  ...["createVectorStore", "listVectorStores", "getVectorStore", "updateVectorStore", "deleteVectorStore"],
  ...["searchVectorStore", "createVectorStoreFile", "listVectorStoreFiles", "getVectorStoreFile"],
  ...["updateVectorStoreFile", "deleteVectorStoreFile", "getVectorStoreFileContent"],
  ...["createVectorStoreFileBatch", "getVectorStoreFileBatch", "cancelVectorStoreFileBatch"],
  ...["listVectorStoreFileBatchFiles"],
  ...["createBatch", "listBatches", "getBatch", "cancelBatch"],
  ...["createSchedule", "listSchedules", "getSchedule", "updateSchedule", "deleteSchedule"],
  ...["listScheduleRuns", "runSchedule"],
  ...["startBatch", "listStartedBatches", "getStartedBatch", "cancelStartedBatch"],
  ...["createResponse", "getResponse", "deleteResponse", "cancelResponse"],
  ...["startConversation", "send", "continueConversation", "getMessageImage"],
  ...["listReceipts", "getReceiptKey", "getReceipt", "eraseEndUser"],
  ...["runAgent", "listRuns", "getRun", "deleteRun", "cancelRun", "watchRun", "decideApproval", "redact"],
  ...["signIn", "signOut", "getStatus", "verifyCredentials"],
  ...["startProviderSignIn", "finishProviderSignIn", "getProviderSignIn", "testProviderSignIn"],
  ...["createKey", "listKeys", "updateKey", "rotateKey", "revokeKey", "createToken", "explainAccess"],
  ...["createConversationStreamToken", "createRunStreamToken", "createEventStreamToken", "createFileStreamToken"],
  ...["listEvents", "createWebhook", "listWebhooks", "getWebhook", "changeWebhook", "deleteWebhook", "testWebhook"],
  ...["rotateWebhook", "listDeliveries", "redeliver"],
  ...["claimDaemon", "checkSetupToken", "readInvitation", "acceptInvitation"],
  ...["getAccount", "updateAccount", "changePassword", "listSessions", "endSession", "getOverview", "getFirstSteps"],
  ...[
    "listInstallationSettings",
    "getStorageUse",
    "listFailures",
    "listToolServers",
    "listPacks",
    "tryModel",
    "listBackups",
    "startBackup",
  ],
  ...["listTools", "getRedactionRules", "getUploadRules", "listMembers", "getUsage"],
  ...["listSavedPrompts", "keepPrompt", "deletePrompt"],
  ...["listSavedViews", "createSavedView", "updateSavedView", "deleteSavedView"],
  ...[
    "createResetLink",
    "readResetLink",
    "acceptResetLink",
    "listUsers",
    "updateUser",
    "deleteUser",
    "listInvitations",
    "createInvitation",
    "deleteInvitation",
  ],
  ...[
    "chooseVariant",
    "listConversationFolders",
    "listWorkspaces",
    "createWorkspace",
    "rateAnswer",
    "updateWorkspace",
    "deleteWorkspace",
    "addWorkspaceMember",
    "removeWorkspaceMember",
  ],
]

describe("the route table", () => {
  test("has no route that is not declared", () => {
    expect(routes.filter(({ declared }) => !declared).map(({ name }) => name)).toEqual([])
    expect(routes.length).toBe(operations.length)
  })

  test("keeps the names of operations, each once", () => {
    expect(operations.map(({ entry }) => entry.operationId).sort()).toEqual([...OPERATIONS].sort())
  })

  test("asks for a key exactly where a route names a scope, or takes any key", () => {
    for (const { name, path, declared } of routes)
      expect([name, needsCredentials(path)]).toEqual([name, declared?.scope !== undefined || declared?.anyKey === true])
  })

  test("names a success and its form for every route", () => {
    for (const { name, declared } of routes) {
      const successes = Object.entries(declared!.answers).filter(([status]) => status < "300" || status === "302")
      expect([name, successes.length > 0]).toEqual([name, true])
      for (const [status, { schema, events, type }] of successes)
        expect([name, status, Boolean(schema ?? events ?? type)]).toEqual([
          name,
          status,
          status !== "204" && status !== "302",
        ])
    }
  })

  test("every section of the reference is used", () => {
    expect(new Set(routes.map(({ declared }) => declared?.tag))).toEqual(new Set(Object.keys(TAGS) as never[]))
  })
})

test("handlers return values, so that the compiler holds them to what is documented", () => {
  const folder = resolve(import.meta.dir, "../../src/http/routes")
  const making = readdirSync(folder).filter(file =>
    /\bResponse\.json\(|\bnew Response\(JSON\b|\bas (?:any|never|unknown)\b/.test(
      readFileSync(join(folder, file), "utf8"),
    ),
  )
  expect(making).toEqual([])
})

describe("examples", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document as object, "document")
  const valid = (schema: object, value: unknown): string => {
    const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object
    return ajv.validate(resolved, value) ? "valid" : ajv.errorsText()
  }

  test("stand with every body but files of any type, and are valid", () => {
    for (const { method, path, entry } of operations) {
      const bodies = Object.entries(entry.responses).map(([status, { content }]) => [status, content] as const)
      for (const [status, content] of [["request", entry.requestBody?.content] as const, ...bodies]) {
        for (const [type, { schema, example }] of Object.entries(content ?? {})) {
          if (type === "*/*" || type === "multipart/form-data") continue
          const name = `${method} ${path} ${status} ${type}`
          expect([name, example === undefined ? "none" : valid(schema, example)]).toEqual([name, "valid"])
          expect(JSON.stringify(example)).not.toContain(NO_EXAMPLE)
        }
      }
    }
  })

  test("of errors are valid", () => {
    for (const [name, { content }] of Object.entries(document.components.responses)) {
      const { schema, example } = content!["application/json"]!
      expect([name, valid(schema, example)]).toEqual([name, "valid"])
    }
  })

  test("of components are valid", () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      for (const example of (schema as { examples?: unknown[] }).examples ?? [])
        expect([name, valid(schema, example)]).toEqual([name, "valid"])
  })
})

describe("a caller who shows nothing", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.stop())

  test("is let in nowhere but where the table says so", async () => {
    for (const { method, path, entry } of operations) {
      const { declared } = routes.find(route => route.declared?.id === entry.operationId)!
      if (declared!.open) continue
      const example = entry.requestBody?.content["application/json"]?.example
      const response = await fetch(app.url + path.replace(/\{\w+\}/g, "x_unknown"), {
        method,
        ...(example ? { body: JSON.stringify(example), headers: { "content-type": "application/json" } } : {}),
      })
      expect([entry.operationId, response.status]).toEqual([entry.operationId, 401])
    }
  })
})
