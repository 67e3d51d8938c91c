import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A certificate of a day for a name, and its key (PEM). @throws where openssl is not there */
export function selfSigned(name: string): { cert: string; key: string } {
  return inFolder(folder => {
    openssl(folder, ...SIGNED_BY_ITSELF, `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`)
    return { cert: read(folder, "cert.pem"), key: read(folder, "key.pem") }
  })
}

/** A certificate of a day for this machine, its key, and the root that signed it (PEM). @throws where openssl is not there */
export function signedByRoot(): { cert: string; key: string; root: string } {
  return inFolder(folder => {
    openssl(folder, ...SIGNED_BY_ITSELF, "/CN=Root of a test")
    const [root, rootKey] = [join(folder, "root.pem"), join(folder, "root-key.pem")]
    renameSync(join(folder, "cert.pem"), root)
    renameSync(join(folder, "key.pem"), rootKey)
    const names = [
      "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-addext",
      "basicConstraints=critical,CA:FALSE",
    ]
    openssl(folder, ...SIGNED_BY_ITSELF, "/CN=localhost", "-CA", root, "-CAkey", rootKey, ...names)
    return { cert: read(folder, "cert.pem"), key: read(folder, "key.pem"), root: readFileSync(root, "utf8") }
  })
}

const SIGNED_BY_ITSELF = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj"]

const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8")

function openssl(folder: string, ...args: string[]): void {
  const made = Bun.spawnSync(["openssl", ...args, "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")])
  if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr}`)
}

function inFolder<T>(make: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "carrel-tls-"))
  try {
    return make(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
