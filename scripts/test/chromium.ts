/** The browser that the console's tests drive. They skip where there is none. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const PROJECT = resolve(import.meta.dir, "../..")

/** Installs Debian's Chromium when one of the test files drives a browser, none is there, and this is root on Debian. */
export async function ensureChromium(files: string[]): Promise<void> {
  const needed = files.some(file => /playwright|chromium|browser/.test(readFileSync(join(PROJECT, file), "utf8")))
  if (!needed || Bun.which("chromium") || process.getuid?.() !== 0) return
  if (!Bun.which("apt-get") || !existsSync("/etc/debian_version")) return
  console.error("Installing Chromium for the tests of the console …")
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
  for (const argv of [["apt-get", "update", "-qq"], install]) {
    const child = Bun.spawn(argv, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    })
    if ((await child.exited) !== 0) {
      console.error("Chromium could not be installed; tests that need a browser are skipped.")
      return
    }
  }
}
