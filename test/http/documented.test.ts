/** What the tests' own client refuses: answers of the daemon that are not as the OpenAPI document says. */
import { expect, test } from "bun:test"
import { FILE } from "../../src/http/file-record.ts"
import { expectDocumented } from "../support/documented.ts"

const answer = (status: number, type: string | undefined, body: unknown, path = "/external/libraries/file_x") =>
  expectDocumented({ method: "GET", pathname: path, status, type })?.(
    typeof body === "string" ? body : JSON.stringify(body),
  )
const json = (status: number, body: unknown) => answer(status, "application/json", body)
const error = (code: string) => ({ error: { code, message: "…", request_id: "req_1" } })
const event = (name: string, data: unknown) => `id: 1\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const stream = (text: string) => answer(200, "text/event-stream", text, "/external/libraries/file_x/events")

test("takes what is documented, under both prefixes", () => {
  json(200, FILE)
  json(404, error("not_found"))
  stream(event("file", FILE) + event("error", error("internal_error")) + event("done", {}))
  answer(200, "application/json", FILE, "/external-docs/external/libraries/file_x")
})

test.each([
  ["a field that is missing", () => json(200, { ...FILE, size: undefined })],
  ["a field of another type", () => json(200, { ...FILE, size: "12" })],
  ["a field that is not named", () => json(200, { ...FILE, owner: "ada" })],
  ["a value that is not one of the choices", () => json(200, { ...FILE, status: "lost" })],
  ["a status that is not listed", () => json(418, {})],
  ["a type of content that is not listed", () => answer(200, "text/html", "<p>")],
  ["an error code that is not listed for the status", () => json(404, error("model_not_found"))],
  ["an event that is not named", () => stream(event("moved", FILE))],
  ["an event with other data", () => stream(event("file", { id: "file_x" }))],
])("refuses %s", (_, receive) => {
  expect(receive).toThrow(/document/)
})
