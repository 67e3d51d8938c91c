/** Every word of the console goes through `text.ts`, and every language has it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import { compileMessage } from "@lingui/message-utils/compileMessage"
import { Glob } from "bun"
import type { Node, SourceFile } from "typescript/unstable/ast"
import {
  isJsxAttribute,
  isJsxElement,
  isJsxExpression,
  isJsxText,
  isStringLiteral,
  isTemplateExpression,
} from "typescript/unstable/ast/is"
import { API } from "typescript/unstable/async"
import { LANGUAGES } from "../../src/console/languages/languages.ts"
import { compile } from "../../src/console/text.ts"

const ROOT = resolve(import.meta.dir, "../..")
const CONSOLE = resolve(ROOT, "src/console")

/** Attributes that people read or hear. */
const READ = new Set(["label", "title", "placeholder", "hint", "action", "note", "alt", "aria-label", "data-label"])

/** The `name` of a fact is read too; that of an input is not. */
const isShown = (attribute: string, element: string): boolean =>
  READ.has(attribute) || (attribute === "name" && element.startsWith("<Fact "))

/** The same in every language: commands, patterns, addresses, names of products. */
const TECHNICAL = /^(?:[\d\s·:.,…—()/|]*|Carrel|Ctrl K|UTC|JSON|--?[\w-]+.*|.*[*{}].*|https?:.*|[\d *-]+)$/

const codes = Object.keys(LANGUAGES).filter(code => code !== "en")
const catalogueOf = async (code: string): Promise<Record<string, string>> =>
  (await import(`../../src/console/languages/${code}/index.ts`)).texts
const catalogues = Object.fromEntries(
  await Promise.all(codes.map(async code => [code, await catalogueOf(code)] as const)),
)
const keys = Object.keys(catalogues.de!)

/** Names of values and of elements, each once. */
function holesOf(text: string): string[] {
  const names = compile(text).flatMap(token => (typeof token === "string" ? [] : [token[0]]))
  const elements = [...text.matchAll(/<(\w+)/g)].map(([whole]) => whole)
  return [...new Set([...names, ...elements])].sort()
}

describe("the catalogues", () => {
  test("say in each language what the others say, with the same values and elements", () => {
    for (const [code, texts] of Object.entries(catalogues)) {
      expect([code, Object.keys(texts).filter(key => !keys.includes(key))]).toEqual([code, []])
      expect([code, keys.filter(key => !texts[key]?.trim())]).toEqual([code, []])
      expect([code, keys.filter(key => holesOf(key).join() !== holesOf(texts[key]!).join())]).toEqual([code, []])
    }
  })

  test("are cut as Lingui's own compiler cuts them", () => {
    const all = [...keys, ...Object.values(catalogues).flatMap(texts => Object.values(texts))]
    const cut = (text: string) => JSON.stringify(compile(text))
    const byLingui = (text: string) => JSON.stringify(compileMessage(text))
    expect(all.filter(text => cut(text) !== byLingui(text))).toEqual([])
    expect(compile("{n, plural, one {# file} other {# files}}")).toEqual([
      ["n", "plural", { one: ["#", " file"], other: ["#", " files"] }],
    ])
  })

  test("have each form of a plural that counts of files need", () => {
    for (const [code, texts] of Object.entries(catalogues)) {
      const rules = new Intl.PluralRules(LANGUAGES[code as keyof typeof LANGUAGES].tag)
      const needed = new Set([0, 1, 2, 3, 11, 100].map(value => rules.select(value)))
      const poor = Object.values(texts).filter(text =>
        compile(text).some(
          token => typeof token !== "string" && token[2] && [...needed].some(form => !token[2]![form]),
        ),
      )
      expect([code, poor]).toEqual([code, []])
    }
  })

  test("hold a text in one file only", async () => {
    const files = [...new Glob("*.ts").scanSync({ cwd: `${CONSOLE}/languages/de` })].filter(name => name !== "index.ts")
    const held = await Promise.all(
      files.map(async name =>
        Object.values<object>(await import(`${CONSOLE}/languages/de/${name}`)).flatMap(Object.keys),
      ),
    )
    const all = held.flat()
    expect(all.filter((key, at) => all.indexOf(key) !== at)).toEqual([])
    expect(all.length).toBe(keys.length)
  })
})

describe("the code of the console", () => {
  let api: API
  let sources: [name: string, file: SourceFile][] = []
  beforeAll(async () => {
    api = new API({ cwd: ROOT })
    const config = resolve(ROOT, "tsconfig.json")
    const { program } = (await api.updateSnapshot({ openProject: config })).getProject(config)!
    const names = [...new Glob("**/*.{ts,tsx}").scanSync({ cwd: CONSOLE })].filter(
      name => !/^(?:languages|graphiql)\//.test(name) && !name.endsWith(".d.ts"),
    )
    sources = await Promise.all(
      names.map(async name => [name, (await program.getSourceFile(resolve(CONSOLE, name)))!] as const),
    ).then(read => read.map(([name, file]) => [name, file]))
  }, 120_000)
  afterAll(() => api.close())

  /** Texts that stand in the code as people would read them. */
  function bareTexts(file: SourceFile): string[] {
    const found: string[] = []
    const isRead = (text: string) => /\p{L}{2}/u.test(text) && !TECHNICAL.test(text.trim())
    const visit = (node: Node): void => {
      if (isJsxElement(node) && /^(?:code|pre|kbd)$/.test(node.openingElement.tagName.getText(file))) return
      if (isJsxText(node) && isRead(node.text)) found.push(node.text.trim())
      if (
        isJsxAttribute(node) &&
        isShown(node.name.getText(file), node.parent.parent.getText(file)) &&
        node.initializer
      ) {
        const value = isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer
        if (value && isStringLiteral(value) && isRead(value.text)) found.push(value.text)
        if (value && isTemplateExpression(value) && isRead(value.getText(file).replace(/\$\{[^}]*\}|`/g, "")))
          found.push(value.getText(file))
      }
      node.forEachChild(visit)
    }
    visit(file)
    return found
  }

  test("has no text beside the seam", () => {
    const found = sources.flatMap(([name, file]) => bareTexts(file).map(text => `${name}: ${text}`))
    expect(found).toEqual([])
    expect(sources.length).toBeGreaterThan(100)
  })

  test("uses every text that the catalogues have", () => {
    const used = new Set<string>()
    const visit = (node: Node): void => {
      if (isStringLiteral(node)) used.add(node.text)
      node.forEachChild(visit)
    }
    for (const [, file] of sources) visit(file)
    expect(keys.filter(key => !used.has(key))).toEqual([])
  })
})
