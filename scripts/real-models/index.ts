/** The real model servers as one: what the machine lacks for them, and how they are installed. They are started as engines are. */
import { installMissing, lacks } from "../cluster/index.ts"
import { llamaCpp } from "./llama-cpp.ts"
import { ollama } from "./ollama.ts"
import { WEIGHTS } from "./weights.ts"

export const MODEL_SERVERS = { ollama, llamaCpp }

/** The exit code of a command that cannot do its work on this machine, so that who calls it may skip. */
export const LACKS = 3

/** Why they cannot be set up here, in words for a person; empty where they can. */
export const lacksModelServers = (): string[] => [...new Set(lacks(Object.values(MODEL_SERVERS)))]

/** Fetches and builds what is missing; from nothing that takes about 6 minutes on two cores, and about 2 GB of disk meanwhile. */
export async function installModelServers(tell: (line: string) => void): Promise<void> {
  await installMissing(tell, [WEIGHTS])
  // Each has parts that take one core only. What one is amid is finished when the other has failed.
  const built = await Promise.allSettled(Object.values(MODEL_SERVERS).map(server => installMissing(tell, [server])))
  for (const each of built) if (each.status === "rejected") throw each.reason
}
