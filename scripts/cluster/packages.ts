/**
 * The cache that the engines' archives are fetched, checked and unpacked to.
 * They come through the registries' own clients, so that a machine's mirrors and proxies hold; nothing else needs a network.
 */
import { createHash } from "node:crypto"
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Archive, PACKAGES, type PackageName } from "./archives.ts"
import { runTool } from "./tools.ts"

/** Root's own cache folder cannot be read by the unprivileged user that the engines run as. */
const cacheRoot = (): string =>
  process.env.XDG_CACHE_HOME ?? (process.getuid?.() === 0 ? "/var/cache" : join(homedir(), ".cache"))

export const cacheFolder = (): string => join(cacheRoot(), "carrel-engines")
/** Another set of archives is another folder. */
export function homeOf(name: PackageName): string {
  const digests = PACKAGES[name].map(({ sha256 }) => sha256).join()
  return join(cacheFolder(), `${name}-${createHash("sha256").update(digests).digest("hex").slice(0, 8)}`)
}

/** A folder appears in the cache only when all that belongs in it is there. */
export const isInstalled = (name: PackageName): boolean => existsSync(homeOf(name))

/** A registry did not give what it was asked for. */
export class NotFetched extends Error {}

/** What `fetching` throws is told as that. @throws NotFetched */
export const fetched = (fetching: Promise<void>): Promise<void> =>
  fetching.catch((error: Error) => {
    throw new NotFetched(error.message)
  })

/**
 * Fetches and checks the archives of one package, has them unpacked by `unpack(archives, target)`, and puts the result in
 * the cache under its name. `archives` is the folder that holds them by their file names.
 * @throws NotFetched when a registry's client fails, Error when a digest differs or unpacking fails; the cache is then as it was
 */
export async function install(
  name: PackageName,
  unpack: (archives: string, target: string) => Promise<void>,
): Promise<void> {
  mkdirSync(cacheFolder(), { recursive: true })
  const work = mkdtempSync(join(cacheFolder(), ".fetching-"))
  const [archives, target] = [join(work, "archives"), join(work, "target")]
  try {
    for (const folder of [archives, target]) mkdirSync(folder)
    for (const registry of Object.keys(FETCH) as Archive["registry"][]) {
      const wanted = PACKAGES[name].filter(archive => archive.registry === registry)
      if (wanted.length > 0) await fetched(FETCH[registry](wanted, archives))
    }
    for (const { file, sha256 } of PACKAGES[name]) await check(join(archives, file), sha256)
    await unpack(archives, target)
    // Archives and the umask may say otherwise; the engines run as another user where root installs them.
    await runTool(["chmod", "--recursive", "a+rX", target])
    renameSync(target, homeOf(name))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const FETCH: Record<Archive["registry"], (wanted: readonly Archive[], folder: string) => Promise<void>> = {
  npm: (wanted, folder) =>
    runTool(["npm", "pack", "--silent", "--pack-destination", folder, ...wanted.map(({ name }) => name)]),
  python: pipDownload(() => ":all:", "--only-binary"),
  // What a source archive is built with may come as it is.
  "python-source": pipDownload(wanted => wanted.map(({ name }) => name.split("==")[0]).join(), "--no-binary"),
  async maven(wanted, folder) {
    const project = join(folder, "pom.xml")
    writeFileSync(project, pomOf(wanted, folder))
    await runTool(["mvn", "--quiet", "--batch-mode", "--file", project, "dependency:copy"])
  },
}

function pipDownload(which: (wanted: readonly Archive[]) => string, kind: "--only-binary" | "--no-binary") {
  return (wanted: readonly Archive[], folder: string): Promise<void> =>
    runTool([
      ...["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"],
      ...[kind, which(wanted)],
      ...["--dest", folder, ...wanted.map(({ name }) => name)],
    ])
}

/** One project that copies them all: Maven starts once, not once for each. */
function pomOf(wanted: readonly Archive[], folder: string): string {
  const items = wanted.map(({ name }) => {
    const [group, artifact, version, type] = name.split(":")
    return `<artifactItem><groupId>${group}</groupId><artifactId>${artifact}</artifactId>
      <version>${version}</version><type>${type}</type></artifactItem>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>carrel</groupId><artifactId>engines</artifactId><version>1</version><packaging>pom</packaging>
    <build><plugins><plugin>
      <artifactId>maven-dependency-plugin</artifactId>
      <configuration>
        <outputDirectory>${folder}</outputDirectory>
        <artifactItems>${items.join("")}</artifactItems>
      </configuration>
    </plugin></plugins></build>
  </project>`
}

async function check(file: string, sha256: string): Promise<void> {
  if (!existsSync(file)) throw new Error(`the registry gave ${readdirSync(join(file, "..")).join(", ")}, not ${file}`)
  const hash = createHash("sha256")
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  const found = hash.digest("hex")
  if (found !== sha256) throw new Error(`${file} has the digest ${found}, not ${sha256}`)
}
