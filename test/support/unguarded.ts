/** A request as a turn without redaction sends it, for tests that speak to a backend themselves. */
import type { ChatRequest } from "../../src/backends/backend.ts"
import { fromStore, type Guarded } from "../../src/guarded.ts"

export const unguarded = (request: ChatRequest): Guarded<ChatRequest> => fromStore(request)
