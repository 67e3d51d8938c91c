import type { SignInSettings } from "../access/oidc/settings.ts"
import type { Config } from "../config.ts"
import { urlsOf } from "../config-engines.ts"
import { checkFolders, readTls, readToolServers } from "../configured.ts"
import { clusterOf } from "../configured-cluster.ts"
import { signInOf } from "../configured-sign-in.ts"
import { allowListOf } from "../egress/allow-list.ts"
import { Egress } from "../egress/egress.ts"
import { fetchPolicy, webhookPolicy } from "../egress/policy.ts"
import { refuseOutbound } from "../outbound.ts"

export type Network = Awaited<ReturnType<typeof openNetwork>>

/** Who may be reached, and what is shown to those who reach us. @throws ConfigError before anything is made */
export async function openNetwork(config: Config, stack: AsyncDisposableStack) {
  checkFolders(config)
  const cluster = clusterOf(config)
  const tls = await readTls(config)
  const signIn = signInOf(config)
  const mcpServers = config.mcp_config ? readToolServers(config) : []
  const toolServers = mcpServers.flatMap(server => ("url" in server ? [server.url.href] : []))
  const engines = cluster ? urlsOf(cluster.engines) : []
  if (config.offline)
    stack.defer(refuseOutbound([config.ollama_host, config.openai_base_url, ...toolServers, ...engines]))
  const { offline } = config
  const egress = {
    fetch: new Egress({ policy: fetchPolicy(allowListOf(config.fetch_allow), offline) }),
    webhooks: new Egress({ policy: webhookPolicy(allowListOf(config.webhook_allow), offline) }),
  }
  return { cluster, tls, mcpServers, egress, signIn: signIn && { settings: signIn, egress: egressTo(signIn, config) } }
}

/** The provider is the operator's choice wherever it is. What it names on other hosts is reached as pages are. */
export function egressTo({ issuer }: SignInSettings, { fetch_allow, offline }: Config): Egress {
  const { protocol, hostname, port } = new URL(issuer)
  const place = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`
  return new Egress({ policy: fetchPolicy(allowListOf([...fetch_allow, place]), offline) })
}
