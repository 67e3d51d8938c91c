/** The Java runtime that OpenSearch runs on, and how it is told to run on a small machine. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The versions of Java that a version of the engine runs on. */
export interface JavaRange {
  oldest: number
  newest?: number
}

const JVMS = "/usr/lib/jvm"

export interface Java {
  home: string
  major: number
}

/** The one that is named first, then the newest of a folder of them. */
export function findJava(
  { oldest, newest = Number.POSITIVE_INFINITY }: JavaRange,
  named = process.env.JAVA_HOME ?? "",
  folder = JVMS,
): Java | undefined {
  const installed = existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : []
  const others = installed.map(javaAt).sort((a, b) => b.major - a.major)
  return [javaAt(named), ...others].find(({ major }) => major >= oldest && major <= newest)
}

export function lacksJava(range: JavaRange): string | undefined {
  if (findJava(range)) return undefined
  const wanted = range.newest === undefined ? `${range.oldest} or newer` : `${range.oldest} to ${range.newest}`
  return `no Java ${wanted} in JAVA_HOME or ${JVMS}: install a JDK, or name one in JAVA_HOME`
}

/** Every JDK since 9 tells its version in a file. */
function javaAt(home: string): Java {
  const release = join(home, "release")
  const found = home && existsSync(release) ? /^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, "utf8")) : undefined
  return { home, major: Number(found?.[1] ?? 0) }
}

/**
 * What OpenSearch's own start script comes to in every line, without the four Java processes that it starts to find that out,
 * and less what fits a server of its own: memory touched in advance, the parallel collector, logs of collections.
 */
export function optionsOf({
  home,
  config,
  tmp,
  heapMb,
}: Record<"home" | "config" | "tmp", string> & { heapMb: number }): string[] {
  return [
    ...[`-Xms${heapMb}m`, `-Xmx${heapMb}m`, "-Xss1m", "-XX:+UseSerialGC", "-XX:-UsePerfData"],
    ...["-XX:-OmitStackTraceInFastThrow", "-XX:+ExitOnOutOfMemoryError"],
    `-Djava.io.tmpdir=${tmp}`,
    "-Djava.awt.headless=true",
    "-Djava.locale.providers=SPI,CLDR",
    "-Dfile.encoding=UTF-8",
    "-Djna.nosys=true",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dio.netty.allocator.numDirectArenas=0",
    "-Dlog4j.shutdownHookEnabled=false",
    "-Dlog4j2.disable.jmx=true",
    `-Dopensearch.path.home=${home}`,
    `-Dopensearch.path.conf=${config}`,
    "-Dopensearch.distribution.type=zip",
    "-Dopensearch.bundled_jdk=false",
  ]
}
