/** What building and running the model servers asks of the machine. */
import { readFileSync } from "node:fs"

/** Both servers are built for processors with these, so that a cache may be carried to another machine. */
const PROCESSOR = ["avx2", "fma", "f16c", "bmi2"]

/** The x86-64-v3 that has all of `PROCESSOR`, without `-march=native`. */
export const MACHINE_FLAG = "-march=x86-64-v3"

/** In words for a person; undefined where all is there. */
export function lacksForBuild(): string | undefined {
  const programs = ["python3", "gcc", "g++", "unzip", "tar"].filter(name => !Bun.which(name))
  if (programs.length > 0) return `${programs.join(", ")}: not installed`
  const pip = Bun.spawnSync(["python3", "-m", "pip", "--version"], { stdout: "ignore", stderr: "ignore" })
  if (pip.exitCode !== 0) return "python3 has no pip: install python3-pip"
  const python = Bun.spawnSync(["python3", "-c", "import sys; sys.exit(sys.version_info[:2] < (3, 11))"])
  if (python.exitCode !== 0) return "python3 is older than 3.11"
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(" ") ?? []
  const missing = PROCESSOR.filter(name => !flags.includes(name))
  return missing.length > 0 ? `the processor lacks ${missing.join(", ")}` : undefined
}
