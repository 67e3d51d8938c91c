/** The route table and the OpenAPI document that is made of it. The routes are made, never called. */
import { openApiDocument } from "../../src/http/openapi.ts"
import { type Declared, declaredAs } from "../../src/http/operation.ts"
import { documentedRoutes } from "../../src/http/routes/index.ts"
import type { Services } from "../../src/http/services.ts"

export const table = documentedRoutes({ fileTypes: new Map([["txt", "text/plain"]]) } as unknown as Services)

export interface ListedRoute {
  name: string
  method: string
  /** As in `/external-docs/external/libraries/:file_id`. */
  path: string
  declared: Declared | undefined
}

export const routes: ListedRoute[] = table.routes.map(route => ({
  name: `${route.method} ${route.path}`,
  method: route.method,
  path: route.path,
  declared: declaredAs(route),
}))

export interface Document {
  paths: Record<string, Record<string, Entry>>
  components: { schemas: Record<string, object>; responses: Record<string, Answer> }
}
export interface Content {
  schema: object
  example?: unknown
}
export interface Entry {
  operationId: string
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Answer>
}
export interface Answer {
  content?: Record<string, Content>
}

export const document = openApiDocument(table, "test") as unknown as Document

export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, entry]) => ({ method: method.toUpperCase(), path, entry })),
)
