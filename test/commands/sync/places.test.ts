/** `carrel sync` from repositories and buckets, as processes. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../../support/daemon.ts"
import { GitServer, hasGit } from "../../support/git-server.ts"
import { StandIn } from "../../support/object-storage.ts"
import { carrel } from "../carrel.ts"

let daemon: Daemon
let env: Record<string, string>
const folder = mkdtempSync(join(tmpdir(), "carrel-places-"))

beforeAll(async () => {
  daemon = await startDaemon()
  const { credentials } = daemon
  const token = [credentials["client-id"], credentials["private-key"], credentials.secret].join(".")
  env = { PATH: Bun.env.PATH ?? "", CARREL_TOKEN: token }
}, 60_000)
afterAll(async () => {
  await daemon.remove()
  rmSync(folder, { recursive: true, force: true })
})

function secret(text: string): string {
  const path = join(folder, "secret")
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

async function sync(place: string, more: string[] = [], variables: Record<string, string> = {}) {
  const { code, out, err } = await carrel(["sync", place, "--url", daemon.url, "--json", ...more], {
    env: { ...env, ...variables },
  })
  return { code, err, ...(out ? JSON.parse(out) : {}) }
}

test.skipIf(!hasGit)(
  "a repository: what a commit changes",
  async () => {
    const server = new GitServer({ login: "ann:pass" })
    try {
      const repository = server.make("handbook.git")
      repository.commit({ "docs/a.md": "# A", "docs/b.md": "# B", "code.txt": "code" })
      const place = `${server.url("handbook.git").replace("http://", "git+http://ann@")}?path=docs`
      const more = ["--password-file", secret("pass"), "--delete"]
      const first = await sync(place, more)
      expect(first).toMatchObject({ code: 0, entries: 2, uploaded: 2 })
      expect(first.source.name).not.toContain("pass")
      repository.commit({ "docs/a.md": "# A2", "docs/b.md": null, "docs/c.md": "# C" })
      expect(await sync(place, more)).toMatchObject({ code: 0, entries: 2, uploaded: 2, deleted: 1 })
      expect(await sync(place, more)).toMatchObject({ code: 0, uploaded: 0, unchanged: 2 })
      const refused = await sync(place, ["--password-file", secret("wrong")])
      expect(refused.code).toBe(1)
      expect(refused.err).toContain("the place cannot be listed")
    } finally {
      await server.close()
    }
  },
  60_000,
)

test("a bucket: what has another ETag", async () => {
  await using storage = await StandIn.start()
  const put = (key: string, text: string) => {
    const bytes = Buffer.from(text)
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`
    storage.objects.set(key, { bytes, etag, at: new Date() })
  }
  put("docs/a.txt", "a")
  put("docs/deep/b.txt", "b")
  put("other.txt", "other")
  const place = `s3://bucket/docs/?endpoint=${encodeURIComponent(storage.endpoint)}&region=eu`
  const variables = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" }
  expect(await sync(place, [], variables)).toMatchObject({ code: 0, entries: 2, uploaded: 2 })
  put("docs/a.txt", "another")
  expect(await sync(place, [], variables)).toMatchObject({ code: 0, uploaded: 1, unchanged: 1 })
  storage.fault = () => ({ status: 403, code: "AccessDenied" })
  const refused = await sync(place, ["--delete"], variables)
  expect(refused.code).toBe(1)
  expect(refused.err).toContain("the place cannot be listed")
}, 60_000)
