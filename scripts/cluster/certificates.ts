/** A certificate authority of one start and the certificate of its nodes; the engine does not speak without. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runTool } from "./tools.ts"

/** A start is for tests and for trying, not for keeping. */
const DAYS = "30"
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

export const NODE_NAME = "CN=node,O=carrel"

/** Writes `ca.pem`, `node.pem` and `node.key` (PKCS 8). Nodes at `address` show theirs to clients and to each other. */
export async function writeCertificates(folder: string, address: string): Promise<void> {
  const openssl = (...args: string[]) => runTool(["openssl", ...args], { cwd: folder })
  const usages = ["basicConstraints=CA:FALSE", "extendedKeyUsage=serverAuth,clientAuth"]
  writeFileSync(join(folder, "node.ext"), [...usages, `subjectAltName=IP:${address},DNS:localhost`].join("\n"))
  const authority = ["-subj", "/O=carrel/CN=authority", "-days", DAYS, "-keyout", "ca.key", "-out", "ca.pem"]
  await openssl("req", "-x509", ...KEY, ...authority)
  await openssl("req", ...KEY, "-subj", "/O=carrel/CN=node", "-keyout", "node.key", "-out", "node.csr")
  const signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
  await openssl("x509", "-req", "-in", "node.csr", ...signer, "-days", DAYS, "-extfile", "node.ext", "-out", "node.pem")
}
