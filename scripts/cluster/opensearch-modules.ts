/**
 * The modules of OpenSearch that its zip for integration tests leaves out and Carrel asks for. The registry holds their
 * jars, not their descriptors: those are written here as the server's own build writes them.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PACKAGES, type PackageName } from "./archives.ts"

interface Module {
  /** In 3.x; 2.x says `Plugin` at the end, not `ModulePlugin`. */
  classname: string
  /** Modules that it adds to. */
  extends?: string
  /** How the file names of its jars begin. */
  jars: RegExp
  policy?: string
}

/** A release of the server, and where its archives are listed. */
export interface Release {
  package: PackageName
  version: string
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

/** `version` is the server's. */
export function addModules(archives: string, home: string, { package: name, version }: Release): void {
  const files = PACKAGES[name].map(({ file }) => file)
  for (const [id, module] of Object.entries(MODULES)) {
    const folder = join(home, "modules", id)
    mkdirSync(folder)
    for (const file of files.filter(each => module.jars.test(each)))
      copyFileSync(join(archives, file), join(folder, file))
    if (module.policy) writeFileSync(join(folder, "plugin-security.policy"), module.policy)
    writeFileSync(join(folder, DESCRIPTOR), descriptorOf(id, version, module))
  }
}

const DESCRIPTOR = "plugin-descriptor.properties"

const descriptorOf = (
  name: string,
  version: string,
  { classname, extends: extended = "" }: Module,
) => `description=${name}
version=${version}
name=${name}
classname=${version.startsWith("2.") ? classname.replace("ModulePlugin", "Plugin") : classname}
java.version=11
opensearch.version=${version}
custom.foldername=
extended.plugins=${extended}
has.native.controller=false
`

/**
 * The security plug-in of 3.x wants a module that is in no registry: for its interfaces, which go, and for one jar, which
 * stays. That of 2.x brings all it wants.
 */
export function completeSecurity(archives: string, plugin: string): void {
  const [file, jar] = [join(plugin, DESCRIPTOR), "commons-collections4-4.5.0.jar"]
  writeFileSync(file, readFileSync(file, "utf8").replace(/^extended\.plugins=.*$/m, "extended.plugins="))
  if (existsSync(join(archives, jar))) copyFileSync(join(archives, jar), join(plugin, jar))
}
