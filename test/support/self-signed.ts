import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A certificate of a day for a name, and its key (PEM). @throws where openssl is not there */
export function selfSigned(name: string): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "carrel-tls-"))
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${name}`]
  const names = ["-addext", `subjectAltName=DNS:${name}`]
  try {
    const made = Bun.spawnSync(["openssl", ...request, ...names, "-keyout", key, "-out", cert])
    if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr}`)
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
