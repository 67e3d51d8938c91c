/** `JsonWords` of SQLite. */
import { type Condition, type JsonScalars, type JsonWords, or, plain, scalarsOf } from "../json-words.ts"

const isAmongSqlite = (kind: Condition, value: Condition, { texts, numbers, booleans }: JsonScalars): Condition => {
  // Both sides are read by SQLite, which rounds some numbers another way than JavaScript.
  const isIn = (kinds: string, given: readonly unknown[]): Condition => ({
    text: `(${kind.text} in (${kinds}) and ${value.text} in (select value from json_each(?)))`,
    values: [...kind.values, ...value.values, JSON.stringify(given)],
  })
  return or([
    ...(texts.length > 0 ? [isIn("'text'", texts)] : []),
    ...(numbers.length > 0 ? [isIn("'integer', 'real'", numbers)] : []),
    ...booleans.map(each => ({ text: `${kind.text} = '${each}'`, values: kind.values })),
  ])
}

const sqlitePath = (path: readonly string[]): string => `$${path.map(name => `.${JSON.stringify(name)}`).join("")}`

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
    values: [JSON.stringify(texts)],
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
