/**
 * Questions about one place in a JSON object that a column holds as text, in the words of SQLite and of PostgreSQL. What is
 * not there, or is of another kind, is answered by false and never by null. Strings compare by code point and may hold
 * whatever JSON can, numbers compare as numbers, and a boolean is neither. A path goes into objects, not into arrays.
 */
import type { Value } from "./database.ts"

/** SQL with a `?` for each of its values. */
export interface Condition {
  text: string
  values: Value[]
}

export type Sign = "<" | "<=" | ">" | ">="

/** Where: a column, and the names that lead from its object to the place, one at least. */
export interface JsonPlace {
  column: string
  path: readonly string[]
}

/** A row of `tally`. */
export interface TalliedValue {
  kind: string
  value: string | number
  count: number
}

/** What a place is compared with: values of one or several kinds. */
export interface JsonScalars {
  texts: readonly string[]
  numbers: readonly number[]
  booleans: readonly boolean[]
}

export interface JsonWords {
  /** Whether something other than null is there. */
  present(place: JsonPlace): Condition
  /** Whether one of the values is there, or is an element of the array that is there. */
  equalsOne(place: JsonPlace, values: JsonScalars): Condition
  compares(place: JsonPlace, sign: Sign, value: string | number): Condition
  /** Whether the text that is there holds another one, or the array the value. */
  contains(place: JsonPlace, value: string | number | boolean): Condition
  begins(place: JsonPlace, text: string): Condition
  /** Whether the column's value, an array, has one of the texts. */
  hasOne(column: string, texts: readonly string[]): Condition
  /**
   * How many rows of `files` that meet a condition have each value there, or in the array there: a query for `kind`, `value`
   * and `count`, the most frequent first, to be read by `scalarOf`. An empty path stands for the column's own value.
   */
  tally(place: JsonPlace, where: Condition, limit: number): Condition
  scalarOf(row: TalliedValue): string | number | boolean
  /** How many rows of `files` that meet a condition have an object of each `name` in the array of a column: `value`, `count`. */
  tallyNamed(column: string, name: string, where: Condition): Condition
}

const or = (parts: readonly Condition[]): Condition =>
  parts.length === 0
    ? { text: "false", values: [] }
    : { text: `(${parts.map(({ text }) => text).join(" or ")})`, values: parts.flatMap(({ values }) => values) }

/** Values by their kinds. */
export const scalarsOf = (values: readonly (string | number | boolean)[]): JsonScalars => ({
  texts: values.filter(value => typeof value === "string"),
  numbers: values.filter(value => typeof value === "number"),
  booleans: [...new Set(values.filter(value => typeof value === "boolean"))],
})

const list = (values: readonly unknown[]): string => JSON.stringify(values)

const isAmongSqlite = (kind: Condition, value: Condition, { texts, numbers, booleans }: JsonScalars): Condition => {
  // Both sides are read by SQLite, which rounds some numbers another way than JavaScript.
  const isIn = (kinds: string, given: readonly unknown[]): Condition => ({
    text: `(${kind.text} in (${kinds}) and ${value.text} in (select value from json_each(?)))`,
    values: [...kind.values, ...value.values, list(given)],
  })
  return or([
    ...(texts.length > 0 ? [isIn("'text'", texts)] : []),
    ...(numbers.length > 0 ? [isIn("'integer', 'real'", numbers)] : []),
    ...booleans.map(each => ({ text: `${kind.text} = '${each}'`, values: kind.values })),
  ])
}

const sqlitePath = (path: readonly string[]): string => `$${path.map(name => `.${JSON.stringify(name)}`).join("")}`

const plain = (text: string): Condition => ({ text, values: [] })

export const sqliteJson: JsonWords = {
  present: ({ column, path }) => ({
    text: `coalesce(json_type(${column}, ?), 'null') <> 'null'`,
    values: [sqlitePath(path)],
  }),
  equalsOne({ column, path }, wanted) {
    const at = sqlitePath(path)
    const own = isAmongSqlite(
      { text: `json_type(${column}, ?)`, values: [at] },
      { text: `json_extract(${column}, ?)`, values: [at] },
      wanted,
    )
    const element = isAmongSqlite(plain("item.type"), plain("item.value"), wanted)
    return {
      text: `(case json_type(${column}, ?)
        when 'array' then exists (select 1 from json_each(${column}, ?) as item where ${element.text})
        else ${own.text} end) is true`,
      values: [at, at, ...element.values, ...own.values],
    }
  },
  compares({ column, path }, sign, value) {
    const at = sqlitePath(path)
    const kinds = typeof value === "number" ? "'integer', 'real'" : "'text'"
    return {
      text: `(json_type(${column}, ?) in (${kinds}) and json_extract(${column}, ?) ${sign} json_extract(?, '$')) is true`,
      values: [at, at, JSON.stringify(value)],
    }
  },
  contains({ column, path }, value) {
    const at = sqlitePath(path)
    const element = isAmongSqlite(plain("item.type"), plain("item.value"), scalarsOf([value]))
    const inArray = `when 'array' then exists (select 1 from json_each(${column}, ?) as item where ${element.text})`
    const inText = typeof value === "string" ? `when 'text' then instr(json_extract(${column}, ?), ?) > 0` : ""
    return {
      text: `(case json_type(${column}, ?) ${inArray} ${inText} else false end) is true`,
      values: [at, at, ...element.values, ...(typeof value === "string" ? [at, value] : [])],
    }
  },
  begins: ({ column, path }, text) => ({
    text: `(json_type(${column}, ?) = 'text' and instr(json_extract(${column}, ?), ?) = 1) is true`,
    values: [sqlitePath(path), sqlitePath(path), text],
  }),
  hasOne: (column, texts) => ({
    text: `exists (select 1 from json_each(${column}) as item
      where item.type = 'text' and item.value in (select value from json_each(?)))`,
    values: [list(texts)],
  }),
  // One call a row: to ask for the kind and for the value would take the JSON apart twice.
  tally: ({ column, path }, where, limit) => ({
    text: `with found as materialized (
        select ${column} -> ? as value, count(*) as files from files where ${where.text} group by 1),
      counted as (
        select 'json' as kind, value, files from found where substr(value, 1, 1) not in ('n', '[', '{')
        union all
        select kind, value, files from (
          select distinct found.value as whole, item.type as kind, item.value as value, found.files as files
          from found, json_each(found.value) as item
          where substr(found.value, 1, 1) = '[' and item.type not in ('null', 'array', 'object')))
      select kind, value, sum(files) as count from counted group by kind, value
      order by count desc, cast(value as text), kind limit ?`,
    values: [sqlitePath(path), ...where.values, limit],
  }),
  scalarOf({ kind, value }) {
    if (kind === "json") return JSON.parse(String(value))
    return kind === "true" || kind === "false" ? kind === "true" : value
  },
  tallyNamed: (column, name, where) => ({
    text: `select json_extract(item.value, ?) as value, count(distinct files.id) as count
      from files, json_each(${column}) as item where ${where.text} group by 1 order by count desc, value`,
    values: [sqlitePath([name]), ...where.values],
  }),
}

/**
 * Text of PostgreSQL cannot hold U+0000, nor half of a surrogate pair, and a single one in a JSON text keeps it from being
 * taken apart. So U+0000 to U+0005 go as pairs, an opening one of U+0001 and U+0002 and a closing one of U+0003 to U+0005,
 * which sort as what they stand for and are found nowhere else; a half goes as the last
 * character before all halves, which stands for nothing itself.
 */
const PAIRS = ["\u0001\u0003", "\u0001\u0004", "\u0001\u0005", "\u0002\u0003", "\u0002\u0004", "\u0002\u0005"]
const HALF = "\ud7ff\u0001\u0001"

/** A text as PostgreSQL holds it; see `PAIRS`. */
export const toPostgresText = (text: string): string =>
  text.replace(/[\u0000-\u0005]/g, character => PAIRS[character.charCodeAt(0)]!)

function fromPostgresText(text: string): string {
  return text
    .replaceAll(HALF, "\ufffd")
    .replace(/[\u0001\u0002][\u0003-\u0005]/g, pair => String.fromCharCode(PAIRS.indexOf(pair)))
}

/** A JSON text, as `JSON.stringify` writes it, as one that PostgreSQL can take apart. Most are as they stand. */
function readable(column: string): string {
  const escaped = (text: string): string =>
    [...text].map(each => (each < "\u0006" ? `\\x${each.charCodeAt(0)}` : each)).join("")
  let text = `replace(${column}, '\\\\', '\\u005c')` // from here on every backslash begins an escape
  for (const [code, pair] of PAIRS.entries()) text = `replace(${text}, '\\u000${code}', '${escaped(pair)}')`
  text = `regexp_replace(${text}, '\\\\ud[89a-f][0-9a-f]{2}', '${escaped(HALF).replaceAll("\\", "\\\\")}', 'g')`
  text = `replace(${text}, '\\x', '\\u000')`
  return `(case when strpos(${column}, '\\u000') = 0 and strpos(${column}, '\\ud') = 0 then ${column} else ${text} end)::json`
}

const isAmongPostgres = (value: string, { texts, numbers, booleans }: JsonScalars): Condition => {
  const isIn = (kind: string, type: string, given: readonly unknown[]): Condition => ({
    text: `(case when json_typeof(${value}) = '${kind}' then (${value} #>> '{}')::${type} in (
      select each::${type} from json_array_elements_text(?::json) as each) else false end)`,
    values: [list(given)],
  })
  return or([
    ...(texts.length > 0 ? [isIn("string", "text", texts.map(toPostgresText))] : []),
    ...(numbers.length > 0 ? [isIn("number", "float8", numbers)] : []),
    ...booleans.map(each => plain(`(json_typeof(${value}) = 'boolean' and ${value}::text = '${each}')`)),
  ])
}

/** A condition on `at.value`, which is made once a row. */
const atPostgres = ({ column, path }: JsonPlace, { text, values }: Condition): Condition => ({
  text: `exists (select 1 from (${valuePostgres(column, path)} offset 0) as at where ${text})`,
  values: [...path.map(toPostgresText), ...values],
})

const valuePostgres = (column: string, path: readonly string[]): string =>
  `select ${readable(column)}${" -> ?::text".repeat(path.length)} as value`

const textPostgres = (condition: string, text: string): Condition => ({
  text: `(case when json_typeof(at.value) = 'string' then ${condition} else false end)`,
  values: [toPostgresText(text)],
})

export const postgresJson: JsonWords = {
  present: place => atPostgres(place, plain("json_typeof(at.value) <> 'null'")),
  equalsOne(place, wanted) {
    const element = isAmongPostgres("item", wanted)
    const own = isAmongPostgres("at.value", wanted)
    return atPostgres(place, {
      text: `case when json_typeof(at.value) = 'array'
        then exists (select 1 from json_array_elements(at.value) as item where ${element.text}) else ${own.text} end`,
      values: [...element.values, ...own.values],
    })
  },
  compares(place, sign, value) {
    if (typeof value === "string")
      return atPostgres(place, textPostgres(`(at.value #>> '{}') collate "C" ${sign} ?::text`, value))
    return atPostgres(place, {
      text: `case when json_typeof(at.value) = 'number' then (at.value #>> '{}')::float8 ${sign} ?::float8 else false end`,
      values: [value],
    })
  },
  contains(place, value) {
    const element = isAmongPostgres("item", scalarsOf([value]))
    const inText = typeof value === "string" ? "when 'string' then strpos(at.value #>> '{}', ?::text) > 0" : ""
    return atPostgres(place, {
      text: `case json_typeof(at.value)
        when 'array' then exists (select 1 from json_array_elements(at.value) as item where ${element.text})
        ${inText} else false end`,
      values: [...element.values, ...(typeof value === "string" ? [toPostgresText(value)] : [])],
    })
  },
  begins: (place, text) => atPostgres(place, textPostgres("starts_with(at.value #>> '{}', ?::text)", text)),
  hasOne: (column, texts) => ({
    text: `exists (select 1 from json_array_elements_text(${readable(column)}) as item
      where item in (select each from json_array_elements_text(?::json) as each))`,
    values: [list(texts.map(toPostgresText))],
  }),
  tally: ({ column, path }, where, limit) => ({
    text: `with found as materialized (
        select at.value::text as value, count(*) as files
        from (${valuePostgres(column, path)} from files where ${where.text} offset 0) as at
        where json_typeof(at.value) not in ('null', 'object') group by 1),
      counted as (
        select distinct found.value as whole, json_typeof(item) as kind, item #>> '{}' as value, found.files as files
        from found, lateral json_array_elements(case json_typeof(found.value::json) when 'array' then found.value::json
          else json_build_array(found.value::json) end) as item
        where json_typeof(item) in ('string', 'number', 'boolean'))
      select kind, value, sum(files)::bigint as count from counted group by kind, value
      order by count desc, value collate "C", kind limit ?`,
    values: [...path.map(toPostgresText), ...where.values, limit],
  }),
  scalarOf({ kind, value }) {
    if (kind === "string") return fromPostgresText(String(value))
    return kind === "number" ? Number(value) : value === "true"
  },
  tallyNamed: (column, name, where) => ({
    text: `select item ->> ? as value, count(distinct files.id) as count
      from files, lateral json_array_elements(${readable(column)}) as item
      where ${where.text} group by 1 order by count desc, value`,
    values: [name, ...where.values],
  }),
}
