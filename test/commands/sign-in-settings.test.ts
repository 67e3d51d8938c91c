/** Settings of sign-in by a provider: which go together, and what an issuer may be. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readConfig } from "../../src/config.ts"
import { signInOf } from "../../src/configured-sign-in.ts"
import { carrel } from "./carrel.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "carrel-sign-in-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function secret(text = "a secret\n", mode = 0o600): string {
  const path = join(folder, "secret")
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const read = (env: Record<string, string>) => signInOf(readConfig(["--data", folder], env).config)
const all = () => ({
  CARREL_OIDC_ISSUER: "https://id.example.org/realms/staff/",
  CARREL_OIDC_CLIENT_ID: "carrel",
  CARREL_OIDC_CLIENT_SECRET_FILE: secret(),
})

describe("settings of sign-in by a provider", () => {
  test("are none where none is given", () => {
    expect(read({})).toBeUndefined()
  })

  test("keep the issuer to its last slash, and the secret without the line's end", () => {
    expect(read(all())).toEqual({
      issuer: "https://id.example.org/realms/staff/",
      clientId: "carrel",
      clientSecret: "a secret",
      only: false,
      adminGroup: null,
      workspaceClaim: null,
    })
    writeFileSync(join(folder, "carrel.toml"), 'oidc_only = true\noidc_admin_group = "admins"\n')
    expect(read(all())).toMatchObject({ only: true, adminGroup: "admins" })
  })

  test("name what is missing where some are given", () => {
    const { CARREL_OIDC_ISSUER, CARREL_OIDC_CLIENT_ID } = all()
    expect(() => read({ CARREL_OIDC_ISSUER })).toThrow(
      "--oidc-issuer needs --oidc-client-id and --oidc-client-secret-file as well",
    )
    expect(() => read({ CARREL_OIDC_ISSUER, CARREL_OIDC_CLIENT_ID })).toThrow(
      "--oidc-issuer and --oidc-client-id need --oidc-client-secret-file as well",
    )
    expect(() => read({ CARREL_OIDC_ONLY: "true" })).toThrow("--oidc-only needs --oidc-issuer, --oidc-client-id, and")
    expect(() => read({ CARREL_OIDC_ADMIN_GROUP: "admins" })).toThrow("--oidc-admin-group needs")
  })

  test("refuse a secret that others can read, that is empty or not there", () => {
    expect(() => read({ ...all(), CARREL_OIDC_CLIENT_SECRET_FILE: secret("s", 0o644) })).toThrow("chmod 600")
    expect(() => read({ ...all(), CARREL_OIDC_CLIENT_SECRET_FILE: secret("") })).toThrow("is empty")
    expect(() => read({ ...all(), CARREL_OIDC_CLIENT_SECRET_FILE: join(folder, "none") })).toThrow("does not exist")
  })

  test("take http on this machine alone", () => {
    for (const issuer of [
      "http://localhost:8080/realms/a",
      "http://127.0.0.1:9",
      "http://[::1]:9",
      "http://id.localhost",
    ])
      expect(read({ ...all(), CARREL_OIDC_ISSUER: issuer })?.issuer).toBe(issuer)
    for (const issuer of [
      "http://id.example.org",
      "http://10.0.0.5",
      "http://localhost.evil.example",
      "http://127.evil.example",
    ])
      expect(() => read({ ...all(), CARREL_OIDC_ISSUER: issuer })).toThrow("must begin with https://")
  })

  test("refuse what is no issuer", () => {
    for (const issuer of [
      "id.example.org",
      "ftp://id.example.org",
      "https://user@id.example.org",
      "https://id.example.org/?a=b",
      "x",
    ])
      expect(() => read({ ...all(), CARREL_OIDC_ISSUER: issuer })).toThrow("the provider calls itself by")
    const wellKnown = "https://id.example.org/.well-known/openid-configuration"
    expect(() => read({ ...all(), CARREL_OIDC_ISSUER: wellKnown })).toThrow("without /.well-known")
  })

  test("stop the daemon's start by one line", async () => {
    const { code, err } = await carrel(["serve", "--data", join(folder, "data"), "--oidc-only"])
    expect(code).not.toBe(0)
    expect(err).toContain("--oidc-only needs --oidc-issuer")
  })
})
