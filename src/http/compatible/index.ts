/** Endpoints in the shapes of others, so that their clients work as they are. Each is a thin translation of a domain call. */
import { Elysia } from "elysia"
import type { Services } from "../services.ts"
import { rerankRoutes } from "./rerank.ts"

/** Under no prefix: base URLs of clients end in `/v1`. */
export const compatibleRoutes = (services: Services) => new Elysia().use(rerankRoutes(services))
