/** The third-party packages inside the product, with their licenses: embedded by the build, read from disk from source. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { licenses as embedded } from "./embedded.ts"

export interface PackageLicense {
  name: string
  version: string
  /** SPDX expression, or what the package says instead. */
  license: string
  /** License and notice files in full; empty where the package ships none. */
  text: string
}

export function packageLicenses(): PackageLicense[] {
  if (embedded) return JSON.parse(Buffer.from(Bun.zstdDecompressSync(readFileSync(embedded))).toString())
  return collectLicenses(fileURLToPath(new URL("../..", import.meta.url)))
}

/** Every installed package that is not for development only, as the lock file lists them. */
export function collectLicenses(project: string): PackageLicense[] {
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    packages: Record<
      string,
      { version?: string; dev?: boolean; devOptional?: boolean; link?: boolean; license?: string }
    >
  }
  const found: PackageLicense[] = []
  for (const [path, { version, dev, link }] of Object.entries(lock.packages)) {
    const folder = join(project, path)
    if (!path.startsWith("node_modules/") || dev || link || !version || !existsSync(join(folder, "package.json")))
      continue
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    found.push({ name: manifest.name, version, license: licenseOf(manifest), text: licenseText(folder) })
  }
  return found.sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

function licenseOf(manifest: { license?: string | { type: string }; licenses?: { type: string }[] }): string {
  const { license, licenses } = manifest
  if (typeof license === "string") return license
  return license?.type ?? licenses?.map(({ type }) => type).join(" OR ") ?? "UNKNOWN"
}

const licenseText = (folder: string): string =>
  readdirSync(folder)
    .filter(name => /^(licen[cs]e|notice|copying)/i.test(name) && !/\.(js|ts|json)$/i.test(name))
    .sort()
    .map(name => readFileSync(join(folder, name), "utf8").trim())
    .join("\n\n")
