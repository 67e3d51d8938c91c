/**
 * The modules of OpenSearch that its zip for integration tests leaves out and Carrel asks for. The registry holds their
 * jars, not their descriptors: those are written here as the server's own build writes them.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { OPENSEARCH_VERSION, PACKAGES } from "./packages.ts"

interface Module {
  classname: string
  /** Modules that it adds to. */
  extends?: string
  /** How the file names of its jars begin. */
  jars: RegExp
  policy?: string
}

const MODULES: Record<string, Module> = {
  "analysis-common": {
    classname: "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
    extends: "lang-painless",
    jars: /^analysis-common-/,
  },
  // For `_delete_by_query`; not for copying from other servers, which takes more jars and rights.
  reindex: {
    classname: "org.opensearch.index.reindex.ReindexModulePlugin",
    jars: /^(reindex-client|opensearch-rest-client|opensearch-ssl-config|http|commons-codec|commons-logging|slf4j-api)/,
  },
  "lang-painless": {
    classname: "org.opensearch.painless.PainlessModulePlugin",
    jars: /^(lang-painless|opensearch-scripting-painless-spi|antlr4-runtime|asm)-/,
    policy: `grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
`,
  },
}

export function addModules(archives: string, home: string): void {
  const files = PACKAGES["opensearch-3.4.0"].map(({ file }) => file)
  for (const [name, module] of Object.entries(MODULES)) {
    const folder = join(home, "modules", name)
    mkdirSync(folder)
    for (const file of files.filter(each => module.jars.test(each)))
      copyFileSync(join(archives, file), join(folder, file))
    if (module.policy) writeFileSync(join(folder, "plugin-security.policy"), module.policy)
    writeFileSync(join(folder, DESCRIPTOR), descriptorOf(name, module))
  }
}

const DESCRIPTOR = "plugin-descriptor.properties"

const descriptorOf = (name: string, { classname, extends: extended = "" }: Module): string => `description=${name}
version=${OPENSEARCH_VERSION}
name=${name}
classname=${classname}
java.version=21
opensearch.version=${OPENSEARCH_VERSION}
custom.foldername=
extended.plugins=${extended}
has.native.controller=false
`

/** The security plug-in wants a module that is in no registry: for its interfaces, which go, and for one jar, which stays. */
export function completeSecurity(archives: string, plugin: string): void {
  const [file, jar] = [join(plugin, DESCRIPTOR), "commons-collections4-4.5.0.jar"]
  writeFileSync(file, readFileSync(file, "utf8").replace(/^extended\.plugins=.*$/m, "extended.plugins="))
  copyFileSync(join(archives, jar), join(plugin, jar))
}
