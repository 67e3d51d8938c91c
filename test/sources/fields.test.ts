import { describe, expect, test } from "bun:test"
import { Outage, SOURCE_TYPES } from "../../src/sources/connector.ts"
import { SOURCE_KINDS } from "../../src/sources/connectors/index.ts"
import { Fields } from "../../src/sources/fields.ts"

const fields = (given: Record<string, unknown>) => new Fields("config", given)

describe("fields of a source's config", () => {
  test("name what is wrong with them", () => {
    expect(() => fields({}).text("bucket")).toThrow("config.bucket: is missing")
    expect(() => fields({ bucket: 7 }).text("bucket")).toThrow("config.bucket: must be a text")
    expect(() => fields({ prefix: "a\0b" }).optionalText("prefix")).toThrow("config.prefix")
    expect(() => fields({ port: 70_000 }).integer("port", 1, 65_535)).toThrow("config.port: must be a whole number")
    expect(() => fields({ tls: "ssl" }).oneOf("tls", ["implicit", "starttls", false], "implicit")).toThrow("config.tls")
    expect(() => fields({ paths: ["a", ""] }).texts("paths", 10)).toThrow("config.paths")
    expect(() => fields({ toString: 1 }).end()).toThrow("config.toString: is not a known field")
  })

  test("have the fallback where they are absent", () => {
    expect(fields({}).optionalText("prefix")).toBeUndefined()
    expect(fields({}).integer("port", 1, 65_535, 993)).toBe(993)
    expect(fields({}).oneOf("tls", ["implicit", "starttls", false], "implicit")).toBe("implicit")
    expect(fields({ tls: false }).oneOf("tls", ["implicit", "starttls", false], "implicit")).toBe(false)
  })

  test("an address is of the web and holds no credentials", () => {
    expect(fields({ url: "HTTPS://Example.org:443/a" }).webAddress("url")).toBe("https://example.org/a")
    for (const url of ["ftp://example.org", "file:///etc/passwd", "example.org", "https://me:pw@example.org/"])
      expect(() => fields({ url }).webAddress("url")).toThrow("config.url")
  })

  test("a source that is fed takes none", () => {
    expect(Object.keys(SOURCE_KINDS)).toEqual([...SOURCE_TYPES])
    expect(SOURCE_KINDS.push.config(fields({}))).toEqual({})
    expect(() => SOURCE_KINDS.push.config(fields({ url: "x" }))).toThrow("config.url: is not a known field")
  })

  test("what is said of an outage is for users", () => {
    expect(new Outage("the server does not answer", { cause: new Error("password") }).message).not.toContain("password")
  })
})
