/** The roles, users and keys of `deploy/cluster`, made in engines that a test has started: what nodes run as. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { ClusterUrls } from "../../scripts/cluster/engine.ts"
import { ENGINES } from "../../scripts/cluster/index.ts"
import { type Identity, seaweedfs } from "../../scripts/cluster/seaweedfs.ts"
import type { Engines } from "./cluster-engines.ts"

const DEPLOY = resolve(import.meta.dir, "../../deploy/cluster")
const read = (path: string): string => readFileSync(join(DEPLOY, path), "utf8")
const secret = (): string => `Aa1-${randomBytes(12).toString("hex")}`

/** The engines' own user and database have the name that the role has in `deploy`. */
const NODE = "node"

export interface LeastRights {
  engines: Engines
  /** Makes roles and users. `urls` are those of the engines' own users; the addresses that nodes get, and the owner's. */
  apply(urls: ClusterUrls): Promise<{ urls: ClusterUrls; ownerUrl: string }>
}

export function leastRights(engines: Engines = ENGINES): LeastRights {
  const [accessKey, secretKey] = [secret(), secret()]
  const text = read("storage/seaweedfs.json")
    .replaceAll("BUCKET", "carrel")
    .replace("ACCESS_KEY", accessKey)
    .replace("SECRET_KEY", secretKey)
  const { identities } = JSON.parse(text) as { identities: Identity[] }
  return {
    engines: { ...engines, storage: seaweedfs(identities.map(each => ({ ...each, name: NODE }))) },
    async apply(urls) {
      const blob = new URL(urls.blob_url)
      Object.assign(blob, { username: accessKey, password: secretKey })
      const { database_url, ownerUrl } = await databaseRoles(urls.database_url)
      const search_url = await searchUser(urls)
      return { urls: { ...urls, database_url, blob_url: blob.href, search_url }, ownerUrl }
    },
  }
}

async function databaseRoles(url: string): Promise<{ database_url: string; ownerUrl: string }> {
  const passwords = { carrel_owner: secret(), [NODE]: secret() }
  await statements(url, read("postgresql/roles.sql"))
  for (const [role, password] of Object.entries(passwords))
    await statements(url, `alter role ${role} password '${password}'`)
  for (const file of ["grants.sql", "maintain.sql"])
    await statements(at(url, { pathname: `/${NODE}` }), read(`postgresql/${file}`))
  const as = (username: keyof typeof passwords) =>
    at(url, { pathname: `/${NODE}`, username, password: passwords[username]! })
  return { database_url: as(NODE), ownerUrl: as("carrel_owner") }
}

const at = (url: string, parts: Partial<Pick<URL, "pathname" | "username" | "password">>): string =>
  Object.assign(new URL(url), parts).href

async function statements(url: string, text: string): Promise<void> {
  const sql = new Bun.SQL(url, { max: 1 })
  const bare = text.replace(/^--.*$/gm, "").replace(/\bcarrel\b/g, NODE)
  try {
    // One by one: a database is not made within a transaction.
    for (const each of bare.split(";").filter(part => part.trim() !== "")) await sql.unsafe(each)
  } finally {
    await sql.close()
  }
}

async function searchUser({ search_url, ca_file }: ClusterUrls): Promise<string> {
  const password = secret()
  const { username, password: adminPassword, origin } = new URL(search_url)
  const put = async (path: string, body: string) => {
    const response = await fetch(`${origin}/_plugins/_security/api/${path}`, {
      method: "PUT",
      headers: { authorization: `Basic ${btoa(`${username}:${adminPassword}`)}`, "content-type": "application/json" },
      body,
      tls: { ca: Bun.file(ca_file) },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  await put("roles/carrel", read("opensearch/role.json"))
  await put(`internalusers/${NODE}`, JSON.stringify({ password }))
  await put("rolesmapping/carrel", read("opensearch/mapping.json").replaceAll('"carrel"', `"${NODE}"`))
  return at(search_url, { username: NODE, password })
}
