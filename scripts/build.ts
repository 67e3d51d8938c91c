/**
 * Builds the executable: `bun scripts/build.ts [--target NAME] [--outfile FILE] [--pack FILE …]`.
 * One file with the runtime, the code as bytecode, native libraries, models, the console and the packs that are named.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { Glob } from "bun"
import { addPack } from "../src/storage/packs/add.ts"
import { embeddedModule, type NativeFiles } from "./build/embed.ts"
import { redirects } from "./build/redirects.ts"
import { executableName, HOST_TARGET, TARGETS, type Target, type TargetName } from "./build/targets.ts"

const PROJECT = resolve(import.meta.dir, "..")
const CACHE = join(PROJECT, ".build")
/** What users download; the largest part are the native libraries. */
const MAX_SIZE_BYTES = 400_000_000

const { values } = parseArgs({
  options: { target: { type: "string" }, outfile: { type: "string" }, pack: { type: "string", multiple: true } },
})
const name = values.target ?? HOST_TARGET
if (!(name in TARGETS)) fail(`--target must be one of ${Object.keys(TARGETS).join(", ")} (given: ${name})`)
await build(name as TargetName, resolve(values.outfile ?? join(PROJECT, "dist", executableName(name))))

async function build(targetName: TargetName, outfile: string): Promise<void> {
  const started = performance.now()
  const target: Target = TARGETS[targetName]
  const packages = targetName === HOST_TARGET ? join(PROJECT, "node_modules") : await fetchPackages(target)
  const embedded = await embeddedModule(PROJECT, join(CACHE, "packed"), {
    natives: nativeFiles(target, packages),
    packs: await unpackPacks(values.pack ?? []),
    commit: gitCommit(),
  })
  mkdirSync(dirname(outfile), { recursive: true })
  const result = await Bun.build({
    entrypoints: entryPoints(),
    root: join(PROJECT, "src"),
    target: "bun",
    format: "esm",
    minify: true,
    // Each command loads its own part: a child process starts with half of the work.
    splitting: true,
    bytecode: true,
    plugins: [redirects(PROJECT, embedded, target.lancedbVersion && join(packages, "@lancedb/lancedb"))],
    define: { "process.env.NODE_ENV": '"production"' },
    compile: {
      target: target.bun,
      outfile,
      ...(targetName === HOST_TARGET ? {} : { executablePath: runtimeOf(target, packages) }),
      // A stray .env or bunfig.toml in the folder where someone starts Carrel must not change it.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
  for (const message of result.logs) console.error(String(message))
  const size = statSync(outfile).size
  console.log(`${outfile}: ${(size / 1e6).toFixed(1)} MB in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (size > MAX_SIZE_BYTES) fail(`larger than ${MAX_SIZE_BYTES / 1e6} MB`)
}

/** Checks the packs and lays them out as an installation has them. @returns their folder; undefined without packs */
async function unpackPacks(files: string[]): Promise<string | undefined> {
  if (files.length === 0) return undefined
  const folder = join(CACHE, "packs")
  rmSync(folder, { recursive: true, force: true })
  for (const file of files) await addPack(resolve(file), folder).catch(error => fail(error.message))
  return folder
}

/** The command line first, which gives the executable its behaviour; then everything that runs in a thread of its own. */
function entryPoints(): string[] {
  const workers = [...new Glob("**/*-worker.ts").scanSync({ cwd: join(PROJECT, "src") })].sort()
  return ["main.ts", ...workers].map(file => join(PROJECT, "src", file))
}

function runtimeOf({ platform, runtime }: Target, packages: string): string {
  return join(packages, runtime, "bin", platform === "win32" ? "bun.exe" : "bun")
}

function nativeFiles({ lancedb, platform, cpu }: Target, packages: string): NativeFiles {
  return {
    lancedb: join(packages, lancedb, `${lancedb.replace("@lancedb/lancedb-", "lancedb.")}.node`),
    onnxruntime: join(PROJECT, "node_modules/onnxruntime-node/bin/napi-v6", platform, cpu),
  }
}

/** Packages of another platform, in the versions of this one where they are to be had. Needs the package registry once. */
async function fetchPackages({ platform, cpu, runtime, lancedb, lancedbVersion }: Target): Promise<string> {
  const folder = join(CACHE, `packages-${platform}-${cpu}`)
  const wanted = {
    [runtime]: pinned("bun"),
    [lancedb]: lancedbVersion ?? pinned("@lancedb/lancedb"),
    ...(lancedbVersion ? { "@lancedb/lancedb": lancedbVersion } : {}),
  }
  const isMissing = Object.entries(wanted).some(
    ([name, version]) => installedVersion(join(folder, "node_modules", name)) !== version,
  )
  if (isMissing) {
    const specs = Object.entries(wanted).map(([name, version]) => `${name}@${version}`)
    const platformOptions = ["--force", `--os=${platform}`, `--cpu=${cpu}`]
    const options = ["--prefix", folder, "--no-save", "--ignore-scripts", "--legacy-peer-deps", "--omit=optional"]
    const { exitCode } = Bun.spawnSync(
      ["npm", "install", "--loglevel=error", ...platformOptions, ...options, ...specs],
      {
        stdio: ["ignore", "inherit", "inherit"],
      },
    )
    if (exitCode !== 0) fail(`could not fetch ${specs.join(", ")}`)
  }
  return join(folder, "node_modules")
}

function pinned(name: string): string {
  return installedVersion(join(PROJECT, "node_modules", name)) ?? fail(`${name} is not installed`)
}

function installedVersion(folder: string): string | undefined {
  const manifest = join(folder, "package.json")
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined
}

function gitCommit(): string {
  const { stdout, exitCode } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: PROJECT })
  return exitCode === 0 ? stdout.toString().trim() : "unknown"
}

function fail(message: string): never {
  console.error(`build: ${message}`)
  process.exit(1)
}
