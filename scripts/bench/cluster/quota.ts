/** A share of a core for a process and all it starts, by the kernel's control groups, of either version. Takes root. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = "/sys/fs/cgroup"
const PERIOD_US = 100_000

/** @param cores such as .25. @returns takes the limit away, once its processes have ended */
export function limitCores(pid: number, cores: number): () => void {
  const quota = Math.round(cores * PERIOD_US)
  const isFirst = existsSync(join(ROOT, "cpu/cpu.cfs_quota_us"))
  const group = join(ROOT, isFirst ? "cpu" : "", `carrel-bench-${pid}`)
  if (!isFirst) writeFileSync(join(ROOT, "cgroup.subtree_control"), "+cpu")
  mkdirSync(group)
  if (isFirst) {
    writeFileSync(join(group, "cpu.cfs_period_us"), String(PERIOD_US))
    writeFileSync(join(group, "cpu.cfs_quota_us"), String(quota))
  } else writeFileSync(join(group, "cpu.max"), `${quota} ${PERIOD_US}`)
  writeFileSync(join(group, "cgroup.procs"), String(pid))
  return () => rmdirSync(group)
}
