/** Garage on one machine, with one empty bucket. Its program is the machine's: `cargo install garage --locked`. */
import { randomBytes } from "node:crypto"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { blobUrl, type Engine, freePorts, NAME, tryBucket } from "./engine.ts"
import { lacksPrograms, program } from "./tools.ts"

/** It knows no other for its own. */
const REGION = "garage"

export const garage: Engine = {
  package: null,
  lacks: () => lacksPrograms(["garage"], "2.3 or later: cargo install garage --locked"),

  async start({ folder, host, own, launch, until }) {
    const [rpc, s3] = (await freePorts(2)) as [number, number]
    const [key, password] = [`GK${randomBytes(12).toString("hex")}`, randomBytes(32).toString("hex")]
    const path = (name: string) => join(folder, name)
    for (const name of ["meta", "data"]) mkdirSync(path(name))
    const settings = [
      `metadata_dir = "${path("meta")}"`,
      `data_dir = "${path("data")}"`,
      'db_engine = "lmdb"',
      "replication_factor = 1",
      `rpc_bind_addr = "${host}:${rpc}"`,
      `rpc_public_addr = "${host}:${rpc}"`,
      `rpc_secret = "${randomBytes(32).toString("hex")}"`,
      "[s3_api]",
      `api_bind_addr = "${host}:${s3}"`,
      `s3_region = "${REGION}"`,
    ]
    writeFileSync(path("garage.toml"), settings.join("\n"), { mode: 0o600 })
    // What cargo installs lies in a home that others may not look into.
    copyFileSync(program("garage")!, path("garage"))
    own()
    launch({
      name: "garage",
      command: [path("garage"), "-c", path("garage.toml"), "server", "--single-node", "--default-bucket"],
      env: { GARAGE_DEFAULT_ACCESS_KEY: key, GARAGE_DEFAULT_SECRET_KEY: password, GARAGE_DEFAULT_BUCKET: NAME },
      log: path("log"),
    })
    const bucket = { endpoint: `http://${host}:${s3}`, region: REGION, key, password }
    await until("the bucket", () => tryBucket(bucket))
    return { blob_url: blobUrl(bucket) }
  },
}
