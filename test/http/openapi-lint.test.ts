/** The OpenAPI document by the rules of a linter that its readers use: generators and gateways refuse what it warns of. */
import { expect, test } from "bun:test"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { openApiDocument } from "../../src/http/openapi.ts"
import { documentedRoutes } from "../../src/http/routes/index.ts"
import type { Services } from "../../src/http/services.ts"

test("Redocly's recommended rules find nothing in it", async () => {
  const services = { fileTypes: new Map([["txt", "text/plain"]]) } as unknown as Services
  const problems = await lintFromString({
    source: JSON.stringify(openApiDocument(documentedRoutes(services), "test")),
    absoluteRef: "/openapi.json",
    config: await createConfig({
      extends: ["recommended"],
      // `/keys/{id}/rotate` stands beside `/keys/users/{id}`: ids have prefixes, and none is called `users` or `rotate`.
      // The two ends of a sign-in by a provider only ever redirect; route-table.test.ts asks each route for a success.
      rules: { "no-ambiguous-paths": "off", "operation-2xx-response": "off" },
    }),
  })
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([])
})
