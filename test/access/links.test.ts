import { describe, expect, test } from "bun:test"
import { Links } from "../../src/access/links.ts"

const NOW = Date.parse("2026-11-22T10:00:00Z")
const FILE = "file_01m7y48vkz3s85f1acdta2"
const KEY = { holderId: "key_01m7y48vkz3s85f1acdta3" }
const SECRET = new Uint8Array(32).fill(7)

let now = NOW
const links = new Links(
  SECRET,
  () => "https://carrel.example",
  () => now,
)
const targetOf = (url: string) => url.slice("https://carrel.example".length)
const PLACE = { page: 4, member: null, start: 1234, end: 1291 }
const link = targetOf(links.linkTo(KEY, FILE, PLACE))

describe("a signed link", () => {
  test("says what it shows, until when and for whom", () => {
    expect(links.linkTo(KEY, FILE, PLACE)).toMatch(
      /^https:\/\/carrel\.example\/view\/file_01m7y48vkz3s85f1acdta2\?page=4&start=1234&end=1291&exp=1795428000&sig=key_01m7y48vkz3s85f1acdta3\.[\w-]{43}$/,
    )
    expect(links.open(link)).toEqual({
      fileId: FILE,
      holderId: KEY.holderId,
      page: 4,
      range: { start: 1234, end: 1291 },
      expiresAt: NOW / 1000 + 24 * 3600,
    })
  })

  test("may be about a page, or a whole file; a page within a file in the file is none of its own", () => {
    expect(links.open(targetOf(links.linkTo(KEY, FILE, { page: 2 })))).toMatchObject({ page: 2, range: null })
    expect(links.open(targetOf(links.linkTo(KEY, FILE)))).toMatchObject({ page: null, range: null })
    const inside = links.linkTo(KEY, FILE, { ...PLACE, member: "annex.pdf" })
    expect(links.open(targetOf(inside))).toMatchObject({ page: null, range: { start: 1234, end: 1291 } })
  })

  test("ends with its time", () => {
    const { url, expires_at } = links.linkUntil(KEY, FILE, {}, { seconds: 5, latest: null })
    expect(expires_at).toBe("2026-11-22T10:00:05.000Z")
    now = NOW + 4_999
    expect(links.open(targetOf(url))).toMatchObject({ fileId: FILE })
    now = NOW + 5_000
    expect(links.open(targetOf(url))).toBe("over")
    now = NOW
  })

  test("made for one who ends ends with that", () => {
    const made = (latest: string) => links.linkUntil(KEY, FILE, {}, { seconds: 60, latest }).expires_at
    expect(made("2026-11-22T10:00:30.000Z")).toBe("2026-11-22T10:00:30.000Z")
    expect(made("2026-12-22T10:00:30.000Z")).toBe("2026-11-22T10:01:00.000Z")
  })

  test("is right as it was written alone: every changed, added or missing character breaks it", () => {
    for (let at = 0; at < link.length; at++) {
      const [before, after] = [link.slice(0, at), link.slice(at + 1)]
      const swapped = link[at]!.toUpperCase() === link[at] ? link[at]!.toLowerCase() : link[at]!.toUpperCase()
      for (const other of [
        swapped,
        "0",
        "A",
        "",
        "&",
        ".",
        "=",
        `${link[at]}0`,
        `%${link.charCodeAt(at).toString(16)}`,
      ])
        if (other !== link[at]) expect(links.open(before + other + after)).toBe("wrong")
    }
  })

  test("is broken by parameters that are moved, doubled, added or left out", () => {
    const [path, query] = link.split("?") as [string, string]
    const pairs = query.split("&")
    const changed = [
      ...pairs.map((pair, i) => [...pairs.slice(0, i), ...pairs.slice(i + 1), pair]),
      ...pairs.map((_, i) => pairs.filter((_, other) => other !== i)),
      ...pairs.flatMap((pair, i) => [pairs.toSpliced(i, 0, pair), [...pairs, pair], [pair, ...pairs]]),
      ["utm_source=mail", ...pairs],
      [...pairs, "utm_source=mail"],
      [],
    ].filter(each => each.join("&") !== query)
    for (const each of changed) expect(links.open(`${path}?${each.join("&")}`)).toBe("wrong")
    expect(links.open(`${path}/page.png?${query}`)).toBe("wrong")
    expect(links.open(path)).toBe("wrong")
    expect(links.open("")).toBe("wrong")
  })

  test("is nobody else's: another secret, file or holder makes another signature", () => {
    const others = new Links(
      new Uint8Array(32).fill(8),
      () => "https://carrel.example",
      () => now,
    )
    expect(others.open(link)).toBe("wrong")
    const macOf = (url: string) => url.split(".").at(-1)
    const macs = [
      links.linkTo(KEY, FILE, PLACE),
      links.linkTo({ holderId: "key_01m7y48vkz3s85f1acdta4" }, FILE, PLACE),
      links.linkTo(KEY, "file_01m7y48vkz3s85f1acdta9", PLACE),
      others.linkTo(KEY, FILE, PLACE),
    ].map(macOf)
    expect(new Set(macs).size).toBe(4)
  })
})
