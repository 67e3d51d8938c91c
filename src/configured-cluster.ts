/** What the settings say of several machines: where their engines are, and what makes a process one of their nodes. */
import { hostname } from "node:os"
import { amazonCredentials, type Config, ConfigError, flagOf } from "./config.ts"
import { type EngineAddresses, engineAddresses, secretIn } from "./config-engines.ts"

/** What makes this process a node of several. */
export interface ClusterSettings {
  engines: EngineAddresses
  node: {
    name: string
    /** Under which the others reach it, without a slash at its end. */
    url: string
    role: Config["role"]
  }
  /** What all nodes share and nobody else knows. */
  secret: string
}

const ENGINE_URLS = ["database_url", "blob_url", "search_url"] as const
const NODE_SETTINGS = ["node_url", "cluster_secret_file"] as const
const LEAST_SECRET_BYTES = 32

/**
 * Where the engines of several machines are; undefined on one machine.
 * @throws ConfigError naming what is missing where only some are given, or a password file that cannot be read
 */
export function enginesOf(config: Config): EngineAddresses | undefined {
  if (ENGINE_URLS.every(name => config[name] === "")) return undefined
  needTogether(config, ENGINE_URLS)
  const { database_url: database, blob_url: blobs, search_url: search } = config
  return engineAddresses({ database, blobs, search }, amazonCredentials())
}

/**
 * What a daemon of several machines is told; undefined on one machine.
 * @throws ConfigError naming what is missing where only some of it is given, or a file that cannot be used
 */
export function clusterOf(config: Config): ClusterSettings | undefined {
  const together = [...ENGINE_URLS, ...NODE_SETTINGS]
  if (together.every(name => config[name] === "")) {
    if (config.role !== "all") throw new ConfigError(`--role: one machine does all; ${listed(together)} make several`)
    return undefined
  }
  needTogether(config, together)
  const secret = secretIn(config.cluster_secret_file, "--cluster-secret-file")
  if (Buffer.byteLength(secret) < LEAST_SECRET_BYTES)
    throw new ConfigError(
      `--cluster-secret-file: ${config.cluster_secret_file} holds fewer than ${LEAST_SECRET_BYTES} bytes: \`openssl rand -hex 32\` makes a secret`,
    )
  return {
    engines: enginesOf(config)!,
    node: { name: config.node_name || hostname(), url: config.node_url, role: config.role },
    secret,
  }
}

function needTogether(
  config: Config,
  names: readonly ((typeof ENGINE_URLS)[number] | (typeof NODE_SETTINGS)[number])[],
) {
  const missing = names.filter(name => config[name] === "")
  const given = names.filter(name => config[name] !== "")
  if (missing.length > 0)
    throw new ConfigError(
      `${listed(given)} ${given.length === 1 ? "needs" : "need"} ${listed(missing)} as well: several machines share their engines, and one machine has none`,
    )
}

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(names.map(flagOf))
