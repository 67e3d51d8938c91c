import { type Config, environmentWith } from "../config.ts"
import { OperatorError } from "../errors.ts"
import { selfCommand } from "../native/self.ts"
import { Backups } from "../storage/backups.ts"
import type { DiskUse } from "../storage/disk-use.ts"
import type { Storage } from "./storage.ts"
import type { Together } from "./together.ts"

/** What `carrel backup` has to know of this daemon; in its environment, as they may hold passwords. */
const PASSED = ["data", "database_url", "blob_url", "search_url", "encryption_key_file"] as const
const MAX_REASON = 500

/** By the command itself, in a process of its own: reading and hashing gigabytes would keep requests waiting. */
export function openBackups(
  config: Config,
  { leader, cluster }: Pick<Storage, "leader" | "cluster">,
  diskUse: () => Promise<DiskUse>,
  atWork: Together,
): Backups {
  const backups = new Backups({
    folder: config.backup_dir,
    everyHours: config.backup_every_hours,
    keep: config.backup_keep,
    write: (file, signal) => writeApart(config, file, signal),
    async estimate() {
      if (cluster) return null
      const { originals, texts, database } = (await diskUse()).by_kind
      return originals + texts + database
    },
  })
  atWork.add(() => backups.close())
  leader.whileLeader(signal => backups.keepWriting(signal))
  return backups
}

async function writeApart(config: Config, file: string, signal: AbortSignal): Promise<void> {
  const child = Bun.spawn([...selfCommand(), "backup", file], {
    env: environmentWith(Object.fromEntries(PASSED.map(name => [name, config[name]]))),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL", // its leftovers are removed with the next one
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) === 0) return
  const line = said
    .trimEnd()
    .split("\n")
    .findLast(each => each.startsWith("carrel: "))
  throw new OperatorError((line ?? "carrel: the process ended without a reason").slice("carrel: ".length, MAX_REASON))
}
