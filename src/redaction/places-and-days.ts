/** Names of countries, continents, months, days and planets in many languages: a model takes them for persons'. */

const LANGUAGES = "en de fr es it pt nl pl cs sk sv da nb fi hu ro tr vi id ms hr sl lt lv et fil sw ca".split(" ")
/** Of continents and their parts (UN M49). */
const REGION_CODES =
  "001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 142 143 145 150 151 154 155 419"
const PLANETS =
  /^(?:merkur|mercure|mercurio|mercúrio|mercurius|venus|vénus|venere|vênus|vénusz|wenus|mars|marte|marts|júpiter|jupiter|giove|jowisz|iuppiter|saturn|saturne|saturno|saturnus|uranus|urano|uran|neptun|neptune|nettuno|neptuno|netuno|neptunus)$/

let places: Set<string> | undefined
let days: Set<string> | undefined

/** A country, a continent or a part of one. @param lower small letters */
export function isPlace(lower: string): boolean {
  places ??= placeNames()
  return places.has(lower)
}

/** A day of the week, a month or a planet. @param lower small letters */
export function isDayOrPlanet(lower: string): boolean {
  days ??= dayNames()
  return PLANETS.test(lower) || days.has(lower)
}

/** Unicode's own list of countries and regions. */
function placeNames(): Set<string> {
  const codes = [...regionCodes(), ...REGION_CODES.split(" ")]
  const names = LANGUAGES.flatMap(language => {
    const display = new Intl.DisplayNames([language], { type: "region", fallback: "none" })
    return codes.flatMap(code => display.of(code)?.toLowerCase() ?? [])
  })
  return new Set(names)
}

/** Of two letters, those that mean something. */
function* regionCodes(): Generator<string> {
  const display = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  for (let a = 65; a <= 90; a++)
    for (let b = 65; b <= 90; b++) {
      const code = String.fromCharCode(a, b)
      if (display.of(code)) yield code
    }
}

function dayNames(): Set<string> {
  const dates = [
    ...Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day)),
    ...Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 1)),
  ]
  const names = LANGUAGES.flatMap(language => {
    // One formatter for both: each takes milliseconds to make.
    const format = new Intl.DateTimeFormat(language, { weekday: "long", month: "long", timeZone: "UTC" })
    return dates.flatMap(date => format.formatToParts(date).filter(({ type }) => type !== "literal"))
  })
  return new Set(names.map(({ value }) => value.toLowerCase()))
}
