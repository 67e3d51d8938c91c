/** Everything that lies in the engines of a cluster, so that a test can say that nothing was written. */
import type { ClusterUrls } from "../../scripts/cluster/engine.ts"

export interface Stores {
  /** Digest of the rows of each table. */
  tables: Record<string, string>
  /** Keys with sizes. */
  objects: string[]
  /** Indexes with the number of their documents. */
  indexes: string[]
}

export async function storesOf(urls: ClusterUrls): Promise<Stores> {
  const [tables, objects, indexes] = await Promise.all([tablesOf(urls), objectsOf(urls), indexesOf(urls)])
  return { tables, objects, indexes }
}

async function tablesOf({ database_url }: ClusterUrls): Promise<Stores["tables"]> {
  const sql = new Bun.SQL(database_url, { max: 1 })
  try {
    const names: { name: string }[] = await sql`
      select relname as name from pg_class
      where relkind in ('r', 'p', 'S') and relnamespace = 'public'::regnamespace order by relname`
    const tables: Stores["tables"] = {}
    for (const { name } of names) {
      const rows: object[] = await sql.unsafe(`select * from "${name}"`)
      tables[name] = new Bun.CryptoHasher("sha256")
        .update(
          rows
            .map(row => JSON.stringify(row))
            .sort()
            .join("\n"),
        )
        .digest("hex")
    }
    return tables
  } finally {
    await sql.close()
  }
}

async function objectsOf({ blob_url }: ClusterUrls): Promise<string[]> {
  const { username, password, hostname, pathname, searchParams } = new URL(blob_url)
  const client = new Bun.S3Client({
    accessKeyId: username,
    secretAccessKey: password,
    bucket: hostname,
    endpoint: searchParams.get("endpoint")!,
    region: searchParams.get("region")!,
  })
  const prefix = pathname.slice(1)
  const { contents = [] } = await client.list(prefix ? { prefix: `${prefix}/` } : {})
  return contents.map(({ key, size }) => `${key} ${size}`).sort()
}

async function indexesOf({ search_url, ca_file }: ClusterUrls): Promise<string[]> {
  const { username, password, origin, searchParams } = new URL(search_url)
  const prefix = searchParams.get("prefix") ?? "carrel"
  const response = await fetch(`${origin}/_cat/indices/${prefix}-*?format=json&h=index,docs.count`, {
    headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    tls: { ca: Bun.file(ca_file) },
  })
  const found = (await response.json()) as { index: string; "docs.count": string }[]
  return found.map(each => `${each.index} ${each["docs.count"]}`).sort()
}
