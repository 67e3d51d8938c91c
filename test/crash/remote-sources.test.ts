/** Sources of other servers in sync through random kills, where this machine has these servers; see `source-storm.ts`. */
import { test } from "bun:test"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { addressIn } from "../storage/blobs/places.ts"
import { storage } from "../support/engines.ts"
import { GitServer, hasGit } from "../support/git-server.ts"
import { DovecotServer, hasDovecot, LOGIN } from "../support/mail-server.ts"
import { CREDENTIALS, WEBDAV_SERVERS, webdavServer } from "../support/webdav-servers.ts"
import { ROUNDS as ALL, type Place, stormOver } from "./source-storm.ts"

const bucket = await storage()
const APACHE = "Apache with Basic"
const noApache = WEBDAV_SERVERS[APACHE].lacks()
if (noApache) console.log(`${APACHE}: skipped, because ${noApache}`)
const flags = ["--fetch-allow", "127.0.0.1,localhost"]
/** Of each place; the folder of the machine has them all. */
const ROUNDS = Math.ceil(ALL / 2)
const timeout = 120_000 + ROUNDS * 30_000

async function overWebdav(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-storm-"))
  chmodSync(folder, 0o755) // Apache reads as another user
  const server = await webdavServer(APACHE, folder)
  return {
    flags,
    source: { type: "webdav", config: { url: server.url }, credentials: CREDENTIALS },
    async change(written, removed) {
      for (const [name, text] of written) writeFileSync(join(folder, name), text)
      for (const name of removed) rmSync(join(folder, name))
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function overS3(url: string): Promise<Place> {
  const { bucket, prefix, region, endpoint, credentials } = addressIn(url)
  if (!("accessKeyId" in credentials)) throw new Error("no credentials")
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}/storm/${key}` })
  return {
    flags,
    source: {
      type: "s3",
      config: { endpoint, bucket, region, prefix: `${prefix}/storm/` },
      credentials: { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey },
    },
    async change(written, removed) {
      for (const [name, text] of written) await client.send(new PutObjectCommand({ ...at(name), Body: text }))
      for (const name of removed) await client.send(new DeleteObjectCommand(at(name)))
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}

async function overGit(): Promise<Place> {
  const server = new GitServer()
  const repository = server.make("repo")
  return {
    flags,
    source: { type: "git", config: { url: server.url("repo") } },
    async change(written, removed) {
      for (const [name, text] of written) writeFileSync(join(repository.path, name), text)
      for (const name of removed) rmSync(join(repository.path, name))
      repository.commit()
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** A message is never changed: what is written again is another one, in the place of the first. */
async function overImap(): Promise<Place> {
  const server = new DovecotServer()
  await server.start()
  const uids = new Map<string, number>()
  const bytesOf = (name: string, text: string) =>
    [
      `Subject: ${name}`,
      "From: heron@example.org",
      `Message-ID: <${text.split(" ")[0]}@example.org>`,
      "",
      text,
      "",
    ].join("\r\n")
  return {
    flags,
    source: {
      type: "imap",
      config: { host: "localhost", port: server.port, tls: false, mailbox: "INBOX" },
      credentials: LOGIN,
    },
    bytesOf,
    change: (written, removed) =>
      server.as("INBOX", async owner => {
        const gone = [...written.keys(), ...removed].flatMap(name => uids.get(name) ?? [])
        for (const [name, text] of written) {
          const appended = await owner.append("INBOX", bytesOf(name, text))
          if (!appended || appended.uid === undefined) throw new Error("the server did not take a message")
          uids.set(name, appended.uid)
        }
        for (const name of removed) uids.delete(name)
        if (gone.length > 0) await owner.messageDelete(gone.join(","), { uid: true })
      }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

const storm = async (place: Promise<Place>, files: number) => {
  await using there = await place
  await stormOver(there, files, ROUNDS)
}

test.skipIf(!!noApache)(`a WebDAV folder is in sync after ${ROUNDS} kills`, () => storm(overWebdav(), 160), { timeout })
test.skipIf(!bucket)(`a bucket is in sync after ${ROUNDS} kills`, () => storm(overS3(bucket!), 160), { timeout })
test.skipIf(!hasGit)(`a repository is in sync after ${ROUNDS} kills`, () => storm(overGit(), 160), { timeout })
test.skipIf(!hasDovecot)(`a mailbox is in sync after ${ROUNDS} kills`, () => storm(overImap(), 120), { timeout })
