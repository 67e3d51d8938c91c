/** OpenSearch with k-NN and security: one node or several, TLS for clients and between nodes, one user who may do everything. */
import { chmodSync, copyFileSync, cpSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NODE_NAME, writeCertificates } from "./certificates.ts"
import { type Engine, freePorts, LOOPBACK, NAME, type Site, secret } from "./engine.ts"
import { findJava, type Java, type JavaRange, lacksJava, optionsOf } from "./java.ts"
import { addModules, completeSecurity, type Release } from "./opensearch-modules.ts"
import { runTool } from "./tools.ts"

/** Of each node. Half a gigabyte more goes to its code, threads and buffers. */
const HEAP_MB = 768
/** The lowest that the algorithm knows: the password is random, and each first request of a connection pays for it. */
const BCRYPT_COST = 4
const PLUGINS = ["opensearch-knn", "opensearch-security"]

interface Line extends Release {
  java: JavaRange
  /** Beside what both lines are started with. */
  options(java: Java, home: string): string[]
}

const VECTOR_MODULE = "--add-modules=jdk.incubator.vector"

export const OPENSEARCH = {
  2.19: {
    package: "opensearch-2.19.1",
    version: "2.19.1",
    // It fences itself with the security manager, which went with Java 24.
    java: { oldest: 11, newest: 23 },
    options: ({ major }) => [
      "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory",
      ...(major >= 18 ? ["-Djava.security.manager=allow"] : []),
      ...(major >= 20 ? [VECTOR_MODULE] : []),
    ],
  },
  3.4: {
    package: "opensearch-3.4.0",
    version: "3.4.0",
    java: { oldest: 21 },
    options: ({ major }, home) => [
      "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
      VECTOR_MODULE,
      "--add-opens=java.base/java.nio=org.apache.arrow.memory.core,ALL-UNNAMED",
      `-javaagent:${join(home, "agent/opensearch-agent.jar")}`,
      ...(major >= 23
        ? ["setAsTypeCache", "asTypeUncached"].map(
            method => `-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.${method}`, // JDK-8341127
          )
        : []),
    ],
  },
} as const satisfies Record<number, Line>
export type OpenSearchVersion = keyof typeof OPENSEARCH

/** Where nothing else is asked for: what the machine's Java runs, the newer line first. */
export const usualOpenSearch = (): OpenSearchVersion =>
  findJava(OPENSEARCH[3.4].java) || !findJava(OPENSEARCH[2.19].java) ? 3.4 : 2.19

export const opensearch = (line: OpenSearchVersion = usualOpenSearch()): Engine => engineOf(OPENSEARCH[line])

const engineOf = (release: Line): Engine => ({
  package: release.package,
  lacks: () => lacksJava(release.java) ?? (Bun.which("openssl") ? undefined : "openssl is not installed"),

  async unpack(archives, target) {
    const unzip = (file: string, folder: string) => runTool(["unzip", "-q", join(archives, file), "-d", folder])
    await unzip(`opensearch-${release.version}.zip`, archives)
    renameSync(join(archives, `opensearch-${release.version}`), target)
    for (const name of PLUGINS) await unzip(`${name}-${release.version}.0.zip`, join(target, "plugins", name))
    completeSecurity(archives, join(target, "plugins/opensearch-security"))
    addModules(archives, target, release)
  },

  async start(site) {
    const java = findJava(release.java)
    if (!java) throw new Error(lacksJava(release.java))
    const nodes = await Promise.all(
      Array.from({ length: site.nodes }, async (_, at) => {
        const [http, transport] = (await freePorts(2)) as [number, number]
        return { name: `node${at + 1}`, folder: join(site.folder, `node${at + 1}`), http, transport }
      }),
    )
    const password = secret()
    await writeCertificates(site.folder, site.host)
    for (const node of nodes) await layOut(site, node, nodes, password)
    site.own()
    for (const { name, folder } of nodes) {
      const [config, tmp] = [join(folder, "config"), join(folder, "tmp")]
      const common = optionsOf({ home: site.home, config, tmp, heapMb: HEAP_MB })
      const options = [...common, ...release.options(java, site.home)]
      const main = ["-cp", join(site.home, "lib/*"), "org.opensearch.bootstrap.OpenSearch"]
      const command = [join(java.home, "bin/java"), ...options, ...main]
      site.launch({ name: `opensearch ${name}`, command, log: join(folder, "log"), env: { HOME: folder } })
    }
    const ca = join(site.folder, "ca.pem")
    const address = `${site.host}:${nodes[0]!.http}`
    await site.until("OpenSearch", () => ready(address, password, ca, nodes.length))
    return { search_url: `https://${NAME}:${password}@${address}`, ca_file: ca }
  },
})

interface Node {
  name: string
  folder: string
  http: number
  transport: number
}

/** Settings, users and certificates of one node. Every node has the same; the first to start the cluster makes them its index. */
async function layOut({ home, folder, host }: Site, node: Node, nodes: Node[], password: string): Promise<void> {
  const config = join(node.folder, "config")
  const security = join(config, "opensearch-security")
  for (const name of ["data", "logs", "tmp"]) mkdirSync(join(node.folder, name), { recursive: true })
  cpSync(join(home, "plugins/opensearch-security/config"), security, { recursive: true })
  copyFileSync(join(home, "config/log4j2.properties"), join(config, "log4j2.properties"))
  for (const file of ["ca.pem", "node.pem", "node.key"]) copyFileSync(join(folder, file), join(config, file))
  const hash = await Bun.password.hash(password, { algorithm: "bcrypt", cost: BCRYPT_COST })
  const about = { _meta: { type: "internalusers", config_version: 2 } }
  const user = { hash, reserved: true, backend_roles: ["admin"], description: "Carrel" }
  // JSON is YAML.
  writeFileSync(join(security, "internal_users.yml"), JSON.stringify({ ...about, [NAME]: user }))
  writeFileSync(join(config, "opensearch.yml"), JSON.stringify(settingsOf(host, node, nodes), null, 2))
  for (const file of [join(config, "node.key"), join(security, "internal_users.yml")]) chmodSync(file, 0o600)
}

function settingsOf(host: string, { name, folder, http, transport }: Node, nodes: Node[]): Record<string, unknown> {
  const tls = (side: string) => ({
    [`plugins.security.ssl.${side}.pemcert_filepath`]: "node.pem",
    [`plugins.security.ssl.${side}.pemkey_filepath`]: "node.key",
    [`plugins.security.ssl.${side}.pemtrustedcas_filepath`]: "ca.pem",
  })
  return {
    "cluster.name": NAME,
    "node.name": name,
    "path.data": join(folder, "data"),
    "path.logs": join(folder, "logs"),
    // Nodes are on one machine. Away from the loopback they would insist on settings of a server of its own.
    "transport.host": LOOPBACK,
    "http.host": host,
    "http.port": http,
    "transport.port": transport,
    "discovery.seed_hosts": nodes.map(node => `${LOOPBACK}:${node.transport}`),
    "cluster.initial_cluster_manager_nodes": nodes.map(node => node.name),
    // A disk that others have filled to nine tenths is still one to try things on.
    "cluster.routing.allocation.disk.threshold_enabled": false,
    ...tls("transport"),
    ...tls("http"),
    "plugins.security.ssl.http.enabled": true,
    "plugins.security.nodes_dn": [NODE_NAME],
    "plugins.security.allow_default_init_securityindex": true,
    "plugins.security.audit.type": "noop",
    // Its user may make others.
    "plugins.security.restapi.roles_enabled": ["all_access"],
  }
}

/** All nodes have joined, the users are known, and every copy of every index is in place. */
async function ready(address: string, password: string, ca: string, nodes: number): Promise<void> {
  const path = `_cluster/health?wait_for_nodes=${nodes}&wait_for_status=green&timeout=1s`
  const authorization = `Basic ${btoa(`${NAME}:${password}`)}`
  const response = await fetch(`https://${address}/${path}`, {
    headers: { authorization },
    tls: { ca: Bun.file(ca) },
    signal: AbortSignal.timeout(5_000),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
