/** Engines on hosts of their own: what the tests of a cluster do to them, and that they come back from it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { CLUSTER_TIMEOUT_MS, type Cluster, lacksCluster, openCluster } from "../support/cluster.ts"
import { HERE } from "../support/network.ts"
import { until } from "../support/until.ts"

const reason = await lacksCluster()

describe.skipIf(reason !== undefined)("engines on hosts of their own", () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await openCluster()
  }, CLUSTER_TIMEOUT_MS)
  afterAll(() => cluster?.remove(), CLUSTER_TIMEOUT_MS)

  const query = async (statement: string): Promise<unknown> => {
    const sql = new Bun.SQL(cluster.engines.urls.database_url, { max: 1, connectionTimeout: 2 })
    try {
      return await Promise.race([
        sql.unsafe(statement),
        Bun.sleep(3_000).then(() => Promise.reject(new Error("no answer"))),
      ])
    } finally {
      void sql.close({ timeout: 0 })
    }
  }
  const answers = () =>
    query("select 1").then(
      () => true,
      () => false,
    )
  const bucket = () => {
    const { username, password, hostname, searchParams } = new URL(cluster.engines.urls.blob_url)
    const [endpoint, region] = [searchParams.get("endpoint")!, searchParams.get("region")!]
    return new Bun.S3Client({ accessKeyId: username, secretAccessKey: password, bucket: hostname, endpoint, region })
  }
  const searchStatus = async (): Promise<number> => {
    const { username, password, origin } = new URL(cluster.engines.urls.search_url)
    const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
    const tls = { ca: Bun.file(cluster.engines.urls.ca_file) }
    return fetch(origin, { headers, tls, signal: AbortSignal.timeout(3_000) }).then(
      ({ status }) => status,
      () => 0,
    )
  }

  test("all three answer from another host, and are silent where the link is cut", async () => {
    await bucket().write("word", "heron")
    expect([await answers(), await bucket().file("word").text(), await searchStatus()]).toEqual([true, "heron", 200])
    for (const name of ["postgres", "opensearch"] as const) await cluster.network.cut(HERE, name)
    expect([await answers(), await searchStatus()]).toEqual([false, 0])
    await cluster.network.mendAll()
    expect([await answers(), await searchStatus()]).toEqual([true, 200])
  })

  test(
    "killed and started again, each has what it had",
    async () => {
      await query("create table words (word text); insert into words values ('heron')")
      for (const name of ["postgres", "storage", "opensearch"] as const) {
        await cluster.engines.kill(name)
        await cluster.engines.startAgain(name)
      }
      await until(answers)
      expect(await query("select word from words")).toEqual([{ word: "heron" }])
      await until(() =>
        bucket()
          .file("word")
          .text()
          .then(
            text => text === "heron",
            () => false,
          ),
      )
      await until(async () => (await searchStatus()) === 200, { within: 120_000, everyMs: 500 })
    },
    CLUSTER_TIMEOUT_MS,
  )

  test(
    "a full disk fails writes, and what was written is there when it has room again",
    async () => {
      const empty = cluster.engines.fillDisk("postgres")
      const large = "insert into words select repeat(md5(random()::text), 100) from generate_series(1, 200000)"
      await expect(query(large)).rejects.toThrow()
      empty()
      if (!cluster.engines.isAlive("postgres")) await cluster.engines.startAgain("postgres")
      await until(answers)
      expect(await query("select count(*)::int as n from words where word = 'heron'")).toEqual([{ n: 1 }])
    },
    CLUSTER_TIMEOUT_MS,
  )
})
