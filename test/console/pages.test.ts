import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"

/** What a browser loads before it shows anything. The contract allows 300 KB; the house keeps it below this. */
const FIRST_LOAD_BYTES = 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
}, 60_000)
afterAll(() => app.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { headers: { "accept-encoding": "gzip", ...headers }, decompress: false } as RequestInit)

const text = async (response: Response) =>
  new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await response.arrayBuffer())))

describe("the console's files", () => {
  test("every address of the console answers the same page, with strict headers", async () => {
    const pages = await Promise.all(
      ["/", "/library", "/chat/conv_x", "/settings/api", "/setup?token=x"].map(path => get(path)),
    )
    const bodies = await Promise.all(pages.map(text))
    expect(new Set(bodies).size).toBe(1)
    for (const { status, headers } of pages) {
      expect(status).toBe(200)
      expect(headers.get("content-type")).toStartWith("text/html")
      const policy = headers.get("content-security-policy")!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
    }
  })

  test("no inline script or style, nothing from elsewhere, small enough", async () => {
    const page = await text(await get("/"))
    expect(page).not.toMatch(/<style|style=|onload=|<script(?![^>]*src=)/)
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)
    expect(files.length).toBeGreaterThanOrEqual(3)
    let size = 0
    for (const file of files) {
      expect(file).toStartWith("/")
      const response = await get(file)
      expect(response.status).toBe(200)
      expect(response.headers.get("cache-control")).toContain("immutable")
      const body = await response.arrayBuffer()
      size += body.byteLength
      expect(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(body)))).not.toMatch(/https?:\/\/(?!www\.w3\.org)/)
    }
    expect(size).toBeLessThan(FIRST_LOAD_BYTES)
  })

  test("a client without gzip is served too; an unchanged page is not sent again", async () => {
    const plain = await get("/", { "accept-encoding": "identity" })
    expect(plain.headers.get("content-encoding")).toBeNull()
    expect(await plain.text()).toStartWith("<!doctype html>")
    const again = await get("/", { "if-none-match": plain.headers.get("etag")! })
    expect(again.status).toBe(304)
  })

  test("an unknown address and an unknown file are the common 404, not the page", async () => {
    for (const path of ["/nothing-here", "/console/nothing.js", "/libraryx", "/index.html"]) {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect((await response.json()).error.code).toBe("not_found")
    }
  })
})
