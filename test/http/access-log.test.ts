/** Which requests the log shows at its usual level, through a daemon of its own. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { Sessions } from "../../src/access/sessions.ts"
import { usersAdd } from "../../src/access/users.ts"
import { Workspaces } from "../../src/access/workspaces.ts"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

interface Line {
  level: string
  message: string
  method: string
  path: string
  status: number
}

let app: TestApp
let client: Client
let session: { authorization: string }
let lines: Line[]
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const database = await openSqlite(app.data)
  const user = await usersAdd(database, { email: "ada@example.org", password: "correct horse battery", admin: true })
  const { token } = await new Sessions(database, new Workspaces(database)).open(user.id, { address: "", userAgent: "" })
  session = { authorization: `Bearer ${token}` }
  await database.destroy()
  setLogSink(line => void lines.push(JSON.parse(line)))
  setLogLevel("debug")
})
beforeEach(() => {
  lines = []
})
afterAll(async () => {
  setLogLevel("error")
  setLogSink(line => void process.stdout.write(`${line}\n`))
  await app.stop()
})

const asked = async (method: string, path: string, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(app.url + path, { method, headers })
  await response.text()
  const line = lines.findLast(({ message, method: used }) => message === "request" && used === method)!
  expect(line).toMatchObject({ path: path.split("?")[0]!, status: response.status })
  return `${line.level} ${line.status}`
}

test("what the console reads, and probes ask, is at debug level when it succeeds", async () => {
  for (const path of ["/external/libraries?page=1", "/external/models", "/external/keys/me", "/external/keys/sessions"])
    expect([path, await asked("GET", path, session)]).toEqual([path, "debug 200"])
  for (const path of ["/healthz", "/readyz", "/metrics", "/", "/external-docs/docs"])
    expect([path, await asked("GET", path)]).toEqual([path, "debug 200"])
})

test("what a key reads, what changes something and what fails stays at info, also with the console's header", async () => {
  const imitation = { ...client.credentials, "x-carrel-console": "1", cookie: "carrel_session=cst_guess" }
  expect(await asked("GET", "/external/libraries", client.credentials)).toBe("info 200")
  expect(await asked("GET", "/external/libraries", imitation)).toBe("info 200")
  expect(await asked("GET", "/external/libraries/file_none", session)).toBe("info 404")
  expect(await asked("GET", "/external/libraries")).toBe("info 401")
  expect(await asked("GET", "/external/keys/me", { authorization: "Bearer cst_guess" })).toBe("info 401")
  expect(await asked("DELETE", "/external/libraries/file_none", session)).toBe("info 404")
  expect(await asked("POST", "/external/search", session)).toStartWith("info 4")
})
