/** `JsonWords` of PostgreSQL. */
import {
  type Condition,
  type JsonPlace,
  type JsonScalars,
  type JsonWords,
  or,
  plain,
  scalarsOf,
} from "../json-words.ts"

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
    values: [JSON.stringify(given)],
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
    values: [JSON.stringify(texts.map(toPostgresText))],
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
