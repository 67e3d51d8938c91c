/** Types of the API as Python writes them: a TypedDict for every record, named after where it stands. */
import type { Field, Type } from "./document.ts"

const KEYWORDS = ["from", "in", "is", "not", "and", "or", "class", "def", "global", "import", "pass", "with", "None"]

export class PythonTypes {
  readonly #prefix: string
  readonly #parts: string[] = []
  readonly #names = new Set<string>()

  /** @param prefix before names, where the types stand in another module */
  constructor(prefix = "") {
    this.#prefix = prefix
  }

  /** What was written, one type after the other. */
  get text(): string {
    return `\n${this.#parts.join("\n\n")}`
  }

  named(name: string, description: string, type: Type): void {
    if (type.kind === "record") this.#record(name, type.fields, description)
    else this.#parts.push(`${name} = ${this.#late(this.of(type, `${name}Part`))}\n${docstring(description, "")}`)
  }

  /** The type by a name; a record that has none gets this one. */
  alias(name: string, type: Type): string {
    return this.of(type, name)
  }

  /** @param at name for a record that has none */
  of(type: Type, at: string): string {
    switch (type.kind) {
      case "any":
        return "Any"
      case "null":
        return "None"
      case "boolean":
        return "bool"
      case "integer":
        return "int"
      case "number":
        return "float"
      case "string":
        return type.values ? `Literal[${type.values.map(value => JSON.stringify(value)).join(", ")}]` : "str"
      case "literal":
        return `Literal[${type.value === true ? "True" : type.value === false ? "False" : JSON.stringify(type.value)}]`
      case "array":
        return `List[${this.of(type.items, `${at}Item`)}]`
      case "map":
        return `Dict[str, ${this.of(type.values, `${at}Value`)}]`
      case "record":
        return this.#record(at, type.fields, "")
      case "union":
        return this.#union(type.of, at)
      case "named":
        return this.#prefix + type.name
    }
  }

  #union(members: readonly Type[], at: string): string {
    const known = members.filter(({ kind }) => kind !== "null")
    const records = known.filter(({ kind }) => kind === "record").length
    const texts = known.map((member, index) => this.of(member, records > 1 ? `${at}${index + 1}` : at))
    const all = texts.length === 1 ? texts[0]! : `Union[${[...new Set(texts)].join(", ")}]`
    return known.length === members.length ? all : `Optional[${all}]`
  }

  #record(wanted: string, fields: readonly Field[], description: string): string {
    let name = wanted
    for (let at = 2; this.#names.has(name); at++) name = `${wanted}${at}`
    this.#names.add(name)
    // Those within stand before it.
    const rows = fields.map(field => {
      const type = this.of(field.type, name + pascal(field.name))
      return { ...field, text: field.required ? type : `NotRequired[${type}]` }
    })
    const isPlain = rows.every(({ name }) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name))
    this.#parts.push(isPlain ? asClass(name, rows, description) : asCall(name, rows, description))
    return this.#prefix + name
  }

  /** Names in quotes, where the type is evaluated when the module is read. */
  #late(text: string): string {
    return `Union[${JSON.stringify(text)}, ${JSON.stringify(text)}]`
  }
}

type Row = Field & { text: string }

function asClass(name: string, rows: readonly Row[], description: string): string {
  const lines = rows.map(row => `    ${row.name}: ${row.text}\n${docstring(row.description, "    ")}`)
  return `\nclass ${name}(TypedDict):\n${docstring(description, "    ")}${lines.join("") || "    pass\n"}`
}

const asCall = (name: string, rows: readonly Row[], description: string): string =>
  `${name} = TypedDict(\n    "${name}",\n    {\n${rows
    .map(row => `        ${JSON.stringify(row.name)}: ${JSON.stringify(row.text)},\n`)
    .join("")}    },\n)\n${docstring(description, "")}`

const docstring = (text: string, indent: string): string => {
  const words = text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").trim()
  const closed = words.endsWith('"') ? `${words} ` : words
  return closed === "" ? "" : `${indent}"""${closed}"""\n`
}

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase())
