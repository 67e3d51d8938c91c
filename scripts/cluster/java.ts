/** The Java runtime that OpenSearch runs on, and how it is told to run on a small machine. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const OLDEST = 21
const JVMS = "/usr/lib/jvm"

interface Java {
  home: string
  major: number
}

/** The one that is named first, then the newest of a folder of them. */
export function findJava(named = process.env.JAVA_HOME ?? "", folder = JVMS): Java | undefined {
  const installed = existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : []
  const newest = installed.map(javaAt).sort((a, b) => b.major - a.major)
  return [javaAt(named), ...newest].find(({ major }) => major >= OLDEST)
}

export const lacksJava = (): string | undefined =>
  findJava() ? undefined : `no Java ${OLDEST} or newer in JAVA_HOME or ${JVMS}: install a JDK, or name one in JAVA_HOME`

/** Every JDK since 9 tells its version in a file. */
function javaAt(home: string): Java {
  const release = join(home, "release")
  const found = home && existsSync(release) ? /^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, "utf8")) : undefined
  return { home, major: Number(found?.[1] ?? 0) }
}

/**
 * What OpenSearch's own start script comes to, without the four Java processes that it starts to find that out, and less
 * what fits a server of its own: memory touched in advance, the parallel collector, logs of collections.
 */
export function optionsOf(
  { major }: Java,
  { home, config, tmp, heapMb }: Record<"home" | "config" | "tmp", string> & { heapMb: number },
) {
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
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
    "--add-modules=jdk.incubator.vector",
    "--add-opens=java.base/java.nio=org.apache.arrow.memory.core,ALL-UNNAMED",
    `-javaagent:${join(home, "agent/opensearch-agent.jar")}`,
    ...(major >= 23
      ? ["setAsTypeCache", "asTypeUncached"].map(
          method => `-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.${method}`, // JDK-8341127
        )
      : []),
    `-Dopensearch.path.home=${home}`,
    `-Dopensearch.path.conf=${config}`,
    "-Dopensearch.distribution.type=zip",
    "-Dopensearch.bundled_jdk=false",
  ]
}
