/**
 * Ceph on one machine: a monitor, one disk in a file, and the gateway that speaks S3, with one empty bucket. Its programs come
 * with the system (Debian: `ceph-mon`, `ceph-osd`, `radosgw`, `ceph-common`).
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { blobUrl, type Engine, freePorts, NAME, secret } from "./engine.ts"
import { lacksPrograms, program } from "./tools.ts"

const PROGRAMS = ["ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"] as const
const REGION = "us-east-1"
/** The file takes of the disk what is written to it. */
const DISK_BYTES = 10 * 1024 ** 3

export const ceph: Engine = {
  package: null,
  lacks: () => lacksPrograms(PROGRAMS, "Debian has them in ceph-mon, ceph-osd, radosgw and ceph-common"),

  async start({ folder, host, own, run, launch, until }) {
    const [monitor, gateway] = (await freePorts(2)) as [number, number]
    const address = `[v2:${host}:${monitor}]`
    const [fsid, disk] = [crypto.randomUUID(), crypto.randomUUID()]
    const [key, password] = [secret(), secret()]
    const path = (...names: string[]) => join(folder, ...names)
    for (const name of ["mon", "osd", "rgw"]) mkdirSync(path(name))
    const settings = {
      fsid,
      "mon host": address,
      "public addr": host,
      "cluster addr": host,
      keyring: path("keyring"),
      "log file": path("$name.log"),
      "mon cluster log file": path("cluster.log"),
      "run dir": folder,
      "crash dir": folder,
      "admin socket": "",
      "mon data": path("mon"),
      "osd data": path("osd"),
      "rgw data": path("rgw"),
      // One disk, and no second copy of anything.
      "osd pool default size": 1,
      "osd pool default min size": 1,
      "osd pool default pg num": 8,
      "osd pool default pg autoscale mode": "off",
      "osd crush chooseleaf type": 0,
      "mon allow pool size one": true,
      "mon max pg per osd": 1_000,
      "osd objectstore": "bluestore",
      "bluestore block size": DISK_BYTES,
      "osd memory target": 1024 ** 3,
      "rgw frontends": `beast endpoint=${host}:${gateway}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    writeFileSync(path("ceph.conf"), `[global]\n${lines.join("\n")}\n`, { mode: 0o600 })
    own()
    const conf = ["-c", path("ceph.conf")]
    const daemon = (name: (typeof PROGRAMS)[number], ...args: string[]) => [program(name)!, ...args, ...conf]
    const keyring = (...args: string[]) => run([program("ceph-authtool")!, path("keyring"), ...args])
    const caps = (given: Record<string, string>) => Object.entries(given).flatMap(([of, cap]) => ["--cap", of, cap])
    await keyring("--create-keyring", "--gen-key", "-n", "mon.", ...caps({ mon: "allow *" }))
    await keyring("--gen-key", "-n", "client.admin", ...caps({ mon: "allow *", osd: "allow *" }))
    await keyring("--gen-key", "-n", "osd.0", ...caps({ mon: "allow profile osd", osd: "allow *" }))
    await keyring("--gen-key", "-n", "client.rgw", ...caps({ mon: "allow rw", osd: "allow rwx" }))
    await run([program("monmaptool")!, "--create", "--fsid", fsid, "--addv", "a", address, path("monmap")])
    await run(daemon("ceph-mon", "--mkfs", "-i", "a", "--monmap", path("monmap"), "--keyring", path("keyring")))
    launch({ name: "ceph-mon", command: daemon("ceph-mon", "-f", "-i", "a"), log: path("mon.log") })
    const limited = ["--connect-timeout", "10"]
    await until("the monitor", () => run(daemon("ceph", ...limited, "status")))
    await run(daemon("ceph", ...limited, "osd", "new", disk))
    await run(daemon("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", disk))
    launch({ name: "ceph-osd", command: daemon("ceph-osd", "-f", "-i", "0"), log: path("osd.log") })
    launch({ name: "radosgw", command: daemon("radosgw", "-f", "-n", "client.rgw"), log: path("radosgw.log") })
    const endpoint = `http://${host}:${gateway}`
    await until("the gateway", () => fetch(endpoint))
    const user = ["--uid", NAME, "--display-name", NAME, "--access-key", key, "--secret-key", password]
    await run(daemon("radosgw-admin", "user", "create", ...user))
    const credentials = { accessKeyId: key, secretAccessKey: password }
    const client = new S3Client({ region: REGION, endpoint, forcePathStyle: true, credentials })
    await until("the bucket", () => client.send(new CreateBucketCommand({ Bucket: NAME })))
    client.destroy()
    return { blob_url: blobUrl({ endpoint, region: REGION, key, password }) }
  },
}
