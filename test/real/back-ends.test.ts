/** The chat back ends with real servers: what the stand-ins promise, asked of those that they stand in for. */
import { chatConformance } from "../backends/chat-conformance.ts"
import { backEnds } from "./servers.ts"

for (const { name, ...subject } of backEnds()) chatConformance(name, async () => subject)
