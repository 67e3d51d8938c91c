import { packageLicenses } from "../native/licenses.ts"
import { VERSION } from "../native/version.ts"
import { type Command, parseArguments, print, printJson, printTable, refuseWords } from "./command.ts"

export const HELP = `Usage: carrel licenses [--full] [--sbom]

Lists the third-party packages inside Carrel and their licenses. --full prints the license texts; --sbom prints a
software bill of materials (CycloneDX 1.6, JSON).
`

export const run: Command = async args => {
  const { words, options } = parseArguments(args, { switches: ["full", "sbom"], settingsFile: false })
  refuseWords(words)
  const packages = packageLicenses()
  if (options.has("sbom")) printJson(billOfMaterials(packages))
  else if (options.has("full"))
    for (const { name, version, license, text } of packages)
      print(`${name} ${version} (${license})\n\n${text}\n\n${"-".repeat(80)}`)
  else
    printTable(
      ["PACKAGE", "VERSION", "LICENSE"],
      packages.map(({ name, version, license }) => [name, version, license]),
    )
  return 0
}

const billOfMaterials = (packages: ReturnType<typeof packageLicenses>) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    component: { type: "application", name: "carrel", version: VERSION, licenses: [{ license: { id: "Apache-2.0" } }] },
  },
  components: packages.map(({ name, version, license }) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [{ expression: license }],
  })),
})
