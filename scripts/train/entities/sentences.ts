/**
 * Writes labelled sentences for the entity model: templates filled with names, addresses and companies of many locales.
 *
 *     bun scripts/train/entities/sentences.ts OUT.jsonl COUNT SEED PRONOUNS.txt WORDS.tsv
 *
 * Each line is {"text", "spans": [[start, end, "NAME" | "ADDRESS"]]}. WORDS.tsv is what gazetteer.py makes.
 */
import { allLocales, Faker } from "@faker-js/faker"
import { FOREIGN_ADDRESS_TEMPLATES, FOREIGN_NAME_TEMPLATES, FOREIGN_PLAIN_TEMPLATES } from "./foreign-templates.ts"
import { LIST_TEMPLATES, PLAIN_TEMPLATES, SMALL_TEMPLATES } from "./plain-templates.ts"
import { ADDRESS_TEMPLATES, NAME_TEMPLATES, OTHER_TEMPLATES } from "./templates.ts"

const [out, count = "1000", seed = "1", pronounsFile, wordsFile] = process.argv.slice(2)
if (!out || !pronounsFile || !wordsFile)
  throw new Error("usage: sentences.ts OUT.jsonl COUNT SEED PRONOUNS.txt WORDS.tsv")
const natural = (await Bun.file(pronounsFile).text()).split("\n")

const LOCALES: Record<string, number> = {
  en: 26,
  en_GB: 5,
  en_AU: 3,
  en_IN: 3,
  en_CA: 2,
  en_NG: 2,
  en_ZA: 2,
  de: 7,
  de_AT: 2,
  de_CH: 2,
  fr: 6,
  fr_BE: 2,
  es: 5,
  es_MX: 2,
  it: 5,
  nl: 6,
  nl_BE: 3,
  da: 4,
  sv: 4,
  nb_NO: 5,
  fi: 4,
  pl: 4,
  cs_CZ: 4,
  sk: 2,
  hu: 4,
  ro: 2,
  hr: 4,
  sr_RS_latin: 2,
  pt_BR: 3,
  pt_PT: 3,
  tr: 2,
  lv: 1,
  vi: 2,
  id_ID: 2,
  yo_NG: 1,
  zu_ZA: 1,
  ku_kmr_latin: 1,
  uz_UZ_latin: 1,
  az: 1,
  el: 1,
  ru: 2,
  uk: 1,
}
const LATIN = Object.keys(LOCALES).filter(key => !["el", "ru", "uk"].includes(key))
const locales = allLocales as Record<string, (typeof allLocales)["en"]>
const fakers = new Map(
  Object.keys(LOCALES)
    .filter(key => key in locales)
    .map(key => [key, new Faker({ locale: [locales[key]!, allLocales.en, allLocales.base], seed: Number(seed) })]),
)
const en = fakers.get("en")!

let state = Number(seed) * 2654435761
/** A small generator of our own (mulberry32), so that the same seed gives the same sentences. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const chance = (share: number): boolean => random() < share
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

const totalWeight = Object.values(LOCALES).reduce((sum, weight) => sum + weight, 0)
function anyFaker(): Faker {
  let at = random() * totalWeight
  for (const [key, weight] of Object.entries(LOCALES)) {
    at -= weight
    if (at < 0) return fakers.get(key) ?? en
  }
  return en
}

// --- names -------------------------------------------------------------------------------------------------------

function wordsOf(key: string, part: "first_name" | "last_name"): string[] {
  const person = (locales[key] as { person?: Record<string, unknown> } | undefined)?.person?.[part]
  return Object.values((person ?? {}) as Record<string, string[]>).flat()
}
const firstNames = LATIN.flatMap(key => wordsOf(key, "first_name"))
const lastNames = LATIN.flatMap(key => wordsOf(key, "last_name"))

/** Invents names that sound like the given ones, so that the model learns from context and not by heart. */
function imitator(names: string[]): () => string {
  const after = new Map<string, string[]>()
  for (const name of names) {
    const padded = `^^${name}$`
    for (let i = 2; i < padded.length; i++) {
      const context = padded.slice(i - 2, i)
      after.set(context, [...(after.get(context) ?? []), padded[i]!])
    }
  }
  return () => {
    for (;;) {
      let name = "^^"
      while (!name.endsWith("$") && name.length < 16) name += pick(after.get(name.slice(-2)) ?? ["$"])
      if (name.endsWith("$") && name.length > 5) return name.slice(2, -1)
    }
  }
}
const inventFirst = imitator(firstNames.filter(name => /^\p{Lu}\p{Ll}+$/u.test(name)).filter((_, i) => i % 3 === 0))
const inventLast = imitator(lastNames.filter(name => /^\p{Lu}\p{Ll}+$/u.test(name)).filter((_, i) => i % 3 === 0))

const LATIN_OF: Record<string, string> = Object.fromEntries(
  "а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya і i ї yi є ye ґ g"
    .split(" ")
    .reduce<[string, string][]>(
      (all, part, i, parts) => (i % 2 ? [...all, [parts[i - 1]!, part.replace("-", "")]] : all),
      [],
    ),
)
const romanised = (name: string): string =>
  [...name]
    .map(letter => {
      const small = LATIN_OF[letter.toLowerCase()]
      return small === undefined
        ? letter
        : letter === letter.toLowerCase()
          ? small
          : small.charAt(0).toUpperCase() + small.slice(1)
    })
    .join("")

// Of the listed words those that a census knows as names, and things that are not names.
const listed = (await Bun.file(wordsFile).text()).split("\n").map(line => line.split("\t") as [string, string?])
const wordsWith = (wanted: RegExp): string[] =>
  listed.flatMap(([letters, words]) => (wanted.test(letters) ? (words ?? "").split(" ") : []))
const listedGiven = wordsWith(/g/)
const listedSurnames = wordsWith(/s/)
const wordSurnames = wordsWith(/c.*s/)
const things = wordsWith(/^c?t$/).filter(word => /^[a-z]{4,}$/.test(word))

function first(): string {
  if (chance(0.18)) return inventFirst()
  if (chance(0.15)) return capital(pick(listedGiven))
  const faker = anyFaker()
  const name = faker.person.firstName()
  return chance(0.7) ? romanised(name) : name
}
function last(): string {
  if (chance(0.25)) return inventLast()
  if (chance(0.25)) return capital(pick(chance(0.3) ? wordSurnames : listedSurnames))
  const name = anyFaker().person.lastName()
  const plain = chance(0.7) ? romanised(name) : name
  if (chance(0.03)) return `${plain}-${last()}`
  return chance(0.02)
    ? `${pick(["de", "van", "von", "da", "van der", "de la", "di", "Le", "Mc", "O'", "bin", "al-"])} ${plain}`
        .replace("' ", "'")
        .replace("Mc ", "Mc")
        .replace("- ", "-")
    : plain
}
function full(): string {
  const kind = random()
  if (kind < 0.25) {
    const faker = anyFaker()
    return romanised(`${faker.person.firstName()} ${faker.person.lastName()}`)
  }
  if (kind < 0.33) return `${first()} ${en.string.alpha({ length: 1, casing: "upper" })}. ${last()}`
  if (kind < 0.39) return `${first()} ${first()} ${last()}`
  if (kind < 0.41) return `${last()}, ${first()}`
  if (kind < 0.44) return `${en.string.alpha({ length: 1, casing: "upper" })}. ${last()}`
  if (kind < 0.47) return `${first()} ${last()} ${pick(["MD", "Jr.", "PhD", "III", "Sr.", "DDS"])}`
  if (kind < 0.49) return `${first()} ${last()} ${last()}`
  return `${first()} ${last()}`
}
const PREFIXES = [
  "Mr.",
  "Mrs.",
  "Ms.",
  "Dr.",
  "Miss",
  "Mr",
  "Mrs",
  "Ms",
  "Dr",
  "Prof.",
  "Herr",
  "Frau",
  "Sir",
  "Professor",
  "Señor",
  "Mme",
  "Sra.",
]

// --- addresses ---------------------------------------------------------------------------------------------------

const EN_STREET = [
  "Street",
  "Avenue",
  "Road",
  "Lane",
  "Drive",
  "Court",
  "Way",
  "Boulevard",
  "Close",
  "Place",
  "Terrace",
  "Square",
  "St",
  "Ave",
  "Rd",
  "Blvd",
]
const FOREIGN_STREET = [
  "Rue {}",
  "Via {} {}",
  "Calle {}",
  "Rua {} {}",
  "Avenida {}",
  "{}straße",
  "{}strasse",
  "{}straat",
  "{}weg",
  "{}laan",
  "{}gatan",
  "{}veien",
  "{}vegen",
  "{}vägen",
  "{}katu",
  "{}tie",
  "{} utca",
  "{} út",
  "{}gade",
  "{}vej",
  "Ul. {}",
  "ul. {}a",
  "Avenue {} {}",
  "Rúa {}",
  "Ctra. {}-{}",
  "Plaza {}",
  "{}gasse",
  "Strada {}",
  "{} Crescent",
  "{}steenweg",
  "{}dreef",
  "Kungs{}",
  "Chemin {}",
  "Boulevard {}",
  "Piazza {}",
  "Vila {} {}",
  "{}plantsoen",
  "{}ova",
  "{}ská",
  "{}vænget",
  "Carrer {}",
  "Largo {}",
  "Travessa {}",
]
function street(): string {
  const kind = random()
  if (kind < 0.35) return anyFaker().location.street()
  if (kind < 0.6) return `${chance(0.5) ? last() : first()} ${pick(EN_STREET)}`
  if (kind < 0.66)
    return `${pick(["1st", "2nd", "3rd", "5th", "12th", "42nd", "Main", "Oak", "Park", "Church", "High", "Mill", "King", "North", "Hill"])} ${pick(EN_STREET)}`
  return foreignStreet()
}
function foreignStreet(): string {
  let written = pick(FOREIGN_STREET)
  while (written.includes("{}")) {
    const glued = /\{\}\p{Ll}/u.test(written)
    written = written.replace("{}", glued ? last().split(/[ -]/)[0]! : chance(0.5) ? last() : first())
  }
  return written
}
const number = (): string =>
  chance(0.85)
    ? String(1 + Math.floor(random() * (chance(0.7) ? 250 : 9999)))
    : `${1 + Math.floor(random() * 200)}${pick(["a", "b", "A", "B", "/2", " bis", "-3"])}`
function streetLine(): string {
  const kind = random()
  if (kind < 0.4) return `${number()} ${street()}`
  if (kind < 0.6) return `${street()} ${number()}`
  if (kind < 0.85) return `${number()} ${street()} ${number()}`
  return anyFaker().location.streetAddress()
}
const secondary = (): string =>
  chance(0.6)
    ? `${pick(["Apt.", "Suite", "Apt", "Unit", "Flat", "Floor", "Room", "#"])} ${String(Math.floor(random() * 1000)).padStart(chance(0.5) ? 3 : 1, "0")}`
    : anyFaker().location.secondaryAddress()
const city = (): string =>
  chance(0.75) ? romanised(anyFaker().location.city()) : chance(0.5) ? inventLast() : en.location.city()
const country = (): string => en.location.country()
const zip = (): string => anyFaker().location.zipCode()
const military = (): string =>
  `${pick([`Unit ${number4()} Box ${number4()}`, `PSC ${number4()}, Box ${number4()}`, `USS ${last()}`, `USNS ${last()}`, `USCGC ${last()}`, `CMR ${number4()}, Box ${number4()}`])}\n${pick(["DPO", "APO", "FPO"])} ${pick(["AA", "AE", "AP"])} ${en.string.numeric(5)}`
const number4 = (): string => en.string.numeric(4)
const poBox = (): string =>
  `${pick(["P.O. Box", "PO Box", "Postfach", "Box", "Apartado", "BP"])} ${en.string.numeric({ length: { min: 2, max: 5 } })}`
const state_ = (): string => en.location.state({ abbreviated: chance(0.6) })

function address(): string {
  const kind = random()
  if (kind < 0.07) return military()
  if (kind < 0.1) return poBox() + (chance(0.6) ? `, ${city()}` : "")
  if (kind < 0.16) return `the corner of ${corner()}`
  if (kind < 0.2) return corner()
  if (kind < 0.3) return streetLine()
  if (kind < 0.4) return `${streetLine()}, ${zip()} ${city()}`
  if (kind < 0.5) return block("\n ")
  if (kind < 0.6) return `${streetLine()}, ${city()}, ${state_()} ${zip()}`
  if (kind < 0.65) return `${secondary()} ${streetLine()}, ${city()}`
  const end = chance(0.5) ? ` ${en.string.numeric(5)}` : ""
  return `${streetLine()}${chance(0.6) ? ` ${secondary()}` : ""}${pick([",", ",", " "])} ${city()}${pick([",", " "])} ${country()}${end}`
}
const corner = (): string =>
  `${chance(0.6) ? street() : streetLine()} and ${chance(0.6) ? street() : `${last()} ${pick(EN_STREET)}`}`
const block = (newline = pick(["\n", "\n ", "\n  "])): string => {
  const lines = [chance(0.15) ? `${number()} ${poBox()}` : streetLine()]
  if (chance(0.6)) lines.push(secondary())
  if (chance(0.2))
    return `${lines.join(" ")}${newline}${city()} ${pick([state_(), "nan", country()])} ${en.string.numeric(5)}`
  lines.push(city())
  const tail = `${country()} ${chance(0.8) ? en.string.numeric(5) : ""}`.trim()
  return lines.join(newline) + (chance(0.2) ? "\n" : "") + newline + tail
}

// --- everything else ---------------------------------------------------------------------------------------------

const ORG_WORDS =
  "Technology Systems Software Analytics Holdings Partners Consulting Bank Insurance Energy Media Foods Motors Airlines Health Biosciences Labs Networks Solutions Services Data Capital Group Industries Logistics Records Studios Research Institute Academy Foundation Agency Ratings Exchange Cloud Security Design Press Games Pharma Robotics Semiconductor Telecom Financial Mobility Map Wind Open Web Government Trust Hotels Realty".split(
    " ",
  )
const SUFFIXES = [
  "Inc",
  "Inc.",
  "LLC",
  "Ltd",
  "Ltd.",
  "GmbH",
  "AG",
  "& Company",
  "Corporation",
  "Group",
  "S.A.",
  "B.V.",
  "Co.",
  "plc",
  "and Sons",
  "",
]
const BRANDS = (await Bun.file(new URL("brands.txt", import.meta.url)).text()).split(/\s+/).filter(Boolean)
function org(): string {
  if (chance(0.2)) return pick(BRANDS)
  const kind = random()
  if (kind < 0.2) return anyFaker().company.name()
  if (kind < 0.45) return `${product()} ${pick(ORG_WORDS)}`
  if (kind < 0.6) return `${last()} ${pick(ORG_WORDS)} ${pick(SUFFIXES)}`.trim()
  if (kind < 0.7) return `${capital(en.word.adjective())} ${capital(en.word.noun())} ${pick(SUFFIXES)}`.trim()
  if (kind < 0.8)
    return `${pick(ORG_WORDS)}${pick(["", " "])}${pick(ORG_WORDS)}${pick(["", " Association", " of America"])}`
  if (kind < 0.9)
    return pick([
      "Google",
      "Amazon",
      "Microsoft",
      "Apple",
      "IBM",
      "Siemens",
      "Toyota",
      "General Motors",
      "Ford",
      "Chrysler",
      "Nokia",
      "Oracle",
      "Intel",
      "NASA",
      "UNICEF",
      "Nike",
      "Metallica",
      "Netflix",
      "Samsung",
      "BMW",
      "Volkswagen",
      "Sony",
      "Shell",
      "Walmart",
      "Tesla",
      "Adobe",
      "Uber",
      "Fox News",
      "New York Times",
      "Rolling Stone",
      "North American Van Lines",
      "Wells Fargo",
      "Deutsche Bank",
      "White Stripes",
      "Rolling Stones",
      "Beatles",
    ])
  return product()
}
const FOODS =
  "salt sugar flour butter milk cream eggs onion garlic tomato basil oregano thyme parsley dill sage rosemary mint cumin paprika pepper chicken beef pork lamb turkey bacon salmon tuna shrimp rice pasta spaghetti penne noodles beans lentils chickpeas potato carrot celery spinach kale cabbage zucchini eggplant mushroom cheddar parmesan mozzarella feta ricotta yogurt honey vanilla cinnamon nutmeg ginger lemon lime orange apple banana cherry peach mango coconut almond walnut pecan chocolate cocoa yeast vinegar mustard mayonnaise ketchup soy broth stock wine oil lard shortening tofu tortilla cilantro jalapeno chili curry turmeric cardamom clove raisin oats cornstarch syrup molasses olives capers anchovies leek shallot scallion".split(
    " ",
  )
const COOKING =
  "preheat mix stir whisk fold chop dice mince slice grate simmer boil bake roast grill fry saute drain rinse knead pour spread sprinkle season garnish serve chill freeze cool cover reduce combine blend beat cream melt toast marinate refrigerate brush arrange remove add heat cook place let transfer discard".split(
    " ",
  )
/** A capital word that is a place, a plant, a product: from WordNet and from texts. */
const thing = (): string => (chance(0.85) ? pick(things) : product().toLowerCase())
function product(): string {
  if (chance(0.3)) return capital(pick(things))
  const noun = capital(en.word.noun())
  return pick([
    noun,
    `${capital(en.word.adjective())}${noun}`,
    `${noun}${pick(["ly", "ify", "io", "hub", "base", "Pro", "soft", "tech", "360", "ica", "source"])}`,
    en.hacker.abbreviation(),
    `${noun}-${Math.floor(random() * 500)}`,
  ])
}
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const date = (): string => {
  const when = en.date.between({ from: "1940-01-01", to: "2030-01-01" })
  return pick([
    () => when.toISOString().slice(0, 10),
    () => when.toLocaleDateString("en-US"),
    () => when.toLocaleDateString("en-GB"),
    () => when.toLocaleDateString("de-DE"),
    () => `${en.date.month()} ${when.getDate()}`,
    () => `${when.getDate()} ${en.date.month()} ${when.getFullYear()}`,
    () => en.date.weekday(),
    () => String(when.getFullYear()),
  ])()
}
const LANGUAGES = [
  "English",
  "French",
  "German",
  "Spanish",
  "Dutch",
  "Polish",
  "Arabic",
  "Chinese",
  "Japanese",
  "Russian",
  "Python",
  "Swedish",
  "Turkish",
]

const ROLES =
  "producer singer actor actress commenter reader manager professor officer detective nurse coach captain senator engineer director author drummer guitarist painter poet chef guard judge lawyer player striker president minister spokesman spokeswoman chairman founder analyst reporter editor colleague neighbor friend cousin uncle aunt guardian agent driver teacher".split(
    " ",
  )
const workTitle = (): string =>
  pick([
    () => product(),
    () => `The ${capital(en.word.adjective())} ${capital(en.word.noun())}`,
    () => `${capital(en.word.noun())} ${capital(en.word.noun())} ${capital(en.word.noun())}`,
    () => `${capital(en.word.verb())} the ${capital(en.word.noun())}`,
    () => `${inventLast()}${pick(["", "er", "ia", "land", "ion"])}`,
  ])()

const MEASURES =
  "cup|cups|tsp|tsp.|tbsp|tbsp.|teaspoon|teaspoons|tablespoon|tablespoons|oz|oz.|ounces|lb|lbs|pound|g|kg|ml|pinch of|can|cans|package|cloves|slices|sticks|quart|bunch|dash of|pkg".split(
    "|",
  )
const foreignAddress = (): string => {
  const kind = random()
  if (kind < 0.4) return `${foreignStreet()} ${number()}, ${zip()} ${city()}`
  if (kind < 0.6) return `${number()} ${foreignStreet()}, ${zip()} ${city()}`
  if (kind < 0.8) return `${foreignStreet()} ${number()}`
  return address()
}

type Label = "NAME" | "ADDRESS"
const SLOTS: Record<string, { label?: Label; fill: () => string }> = {
  person: { label: "NAME", fill: () => (chance(0.72) ? full() : chance(0.5) ? first() : last()) },
  given: { label: "NAME", fill: () => (chance(0.8) ? first() : full()) },
  called: { label: "NAME", fill: () => (chance(0.6) ? first() : chance(0.5) ? `${pick(PREFIXES)} ${last()}` : full()) },
  titled: { label: "NAME", fill: () => (chance(0.5) ? `${pick(PREFIXES)} ${chance(0.6) ? last() : full()}` : full()) },
  prefixed: { label: "NAME", fill: () => `${pick(PREFIXES)} ${chance(0.6) ? last() : full()}` },
  first: { label: "NAME", fill: first },
  last: { label: "NAME", fill: last },
  address: { label: "ADDRESS", fill: address },
  block: { label: "ADDRESS", fill: () => block() },
  role: { fill: () => pick(ROLES) },
  title: { fill: workTitle },
  quoted: { label: "ADDRESS", fill: () => block("\n> ") },
  streetline: { label: "ADDRESS", fill: streetLine },
  street: { label: "ADDRESS", fill: street },
  plainstreet: { label: "ADDRESS", fill: () => last() },
  corner: { label: "ADDRESS", fill: corner },
  zip: { label: "ADDRESS", fill: zip },
  org: { fill: org },
  city: { fill: city },
  country: { fill: country },
  place: { fill: () => (chance(0.5) ? city() : country()) },
  job: { fill: () => (chance(0.5) ? en.person.jobTitle() : en.person.jobTitle().toLowerCase()) },
  date: { fill: date },
  time: { fill: () => `${Math.floor(random() * 24)}:${en.string.numeric(2)}` },
  year: { fill: () => String(1900 + Math.floor(random() * 130)) },
  age: { fill: () => String(18 + Math.floor(random() * 70)) },
  num: { fill: () => en.string.numeric({ length: { min: 1, max: 5 }, allowLeadingZeros: false }) },
  unit: { fill: () => pick([" ms", "%", " GB", "s", " km", "°C"]) },
  phone: { fill: () => anyFaker().phone.number() },
  email: { fill: () => en.internet.email() },
  url: { fill: () => en.internet.url() },
  card: { fill: () => en.finance.creditCardNumber().replaceAll("-", chance(0.7) ? "" : " ") },
  iban: { fill: () => en.finance.iban() },
  ssn: { fill: () => `${en.string.numeric(3)}-${en.string.numeric(2)}-${en.string.numeric(4)}` },
  license: { fill: () => en.string.alpha(1).toUpperCase() + en.string.numeric(7) },
  noun: { fill: () => en.word.noun() },
  Noun: { fill: () => capital(en.word.noun()) },
  NOUN: { fill: () => en.word.noun().toUpperCase() },
  adj: { fill: () => en.word.adjective() },
  Adj: { fill: () => capital(en.word.adjective()) },
  ADJ: { fill: () => en.word.adjective().toUpperCase() },
  verb: { fill: () => en.word.verb() },
  Verb: { fill: () => capital(en.word.verb()) },
  Product: { fill: product },
  first_like: { fill: product },
  foreign: { label: "ADDRESS", fill: foreignAddress },
  food: { fill: () => pick(FOODS) },
  Food: { fill: () => capital(pick(FOODS)) },
  cook: { fill: () => pick(COOKING) },
  Cook: { fill: () => capital(pick(COOKING)) },
  cooked: { fill: () => pick(["tender", "golden brown", "done", "smooth", "set", "crisp", "translucent", "firm"]) },
  cut: {
    fill: () => pick(["chopped", "minced", "diced", "sliced", "grated", "peeled", "drained", "softened", "divided"]),
  },
  measure: { fill: () => pick(MEASURES) },
  frac: { fill: () => pick(["1/2", "1/4", "3/4", "1/3", "2/3", "1/8", "½", "¼", "1 1/2", "2 1/2"]) },
  deg: { fill: () => pick(["350", "375", "400", "425", "180", "200", "325", "450"]) },
  n: { fill: () => String(1 + Math.floor(random() * (chance(0.7) ? 9 : 60))) },
  brand: {
    fill: () =>
      chance(0.75)
        ? pick(BRANDS)
        : pick([
            () => `${last()} & ${last()}`,
            () => `${pick(BRANDS)} ${pick(ORG_WORDS)}`,
            () =>
              `${city()} ${pick(["United", "City", "Rovers", "Wanderers", "Athletic", "Juniors", "Plate", "Hornets", "FC"])}`,
            () => `${last()}-${last()}`,
          ])(),
  },
  thing: { fill: thing },
  Thing: { fill: () => capital(thing()) },
  latin: { fill: () => inventLast().toLowerCase() },
  Latin: { fill: inventLast },
  weekday: { fill: () => en.date.weekday() },
  month: { fill: () => en.date.month() },
  language: { fill: () => pick(LANGUAGES) },
}

type Labelled = { text: string; spans: [number, number, Label][] }

function fillTemplate(template: string): Labelled {
  let chosen = template
  while (/\([^()]*\|[^()]*\)/.test(chosen))
    chosen = chosen.replace(/\(([^()]*\|[^()]*)\)/, (_, choices: string) => pick(choices.split("|")))
  return fillSlots(chosen)
}

function fillSlots(chosen: string): Labelled {
  const result: Labelled = { text: "", spans: [] }
  let at = 0
  for (const slot of chosen.matchAll(/\{(\w+)\}/g)) {
    const { label, fill } = SLOTS[slot[1]!]!
    result.text += chosen.slice(at, slot.index)
    const start = result.text.length
    result.text += fill()
    if (label) result.spans.push([start, result.text.length, label])
    at = slot.index + slot[0].length
  }
  result.text += chosen.slice(at)
  return result
}

const LINE_PREFIXES = ["> ", ">", "- ", "* ", "| ", "# ", "// ", "? ", "?? ", ">> ", "    ", "• "]
/** The same sign before every line, as in quoted mail. */
function prefixed(labelled: Labelled): Labelled {
  const sign = pick(LINE_PREFIXES)
  const lines = labelled.text.split("\n").map(line => line.replace(/^> /, ""))
  if (lines.length < 3 || lines.length !== labelled.text.split("\n").length || labelled.text.includes("\n> "))
    return labelled
  const shift = (offset: number): number => offset + sign.length * labelled.text.slice(0, offset).split("\n").length
  return {
    text: lines.map(line => sign + line).join("\n"),
    spans: labelled.spans.map(([start, end, label]) => [shift(start), shift(end), label]),
  }
}

function sentence(): Labelled {
  const labelled = plainSentence()
  return chance(0.25) ? prefixed(labelled) : labelled
}

function plainSentence(): Labelled {
  if (chance(0.15)) return fillSlots(pick(natural))
  const small = chance(0.12)
  const labelled = fillTemplate(pick(small ? SMALL_TEMPLATES : templates()))
  const spelling = random()
  if (spelling < (small ? 0.65 : 0.12)) return changeCase(labelled, text => text.toLowerCase())
  if (spelling < (small ? 0.85 : 0.15)) return smallNames(labelled)
  return spelling > 0.98 ? changeCase(labelled, text => text.toUpperCase()) : labelled
}

function templates(): string[] {
  const kind = random()
  if (kind < 0.3) return NAME_TEMPLATES
  if (kind < 0.36) return LIST_TEMPLATES
  if (kind < 0.52) return ADDRESS_TEMPLATES
  if (kind < 0.64) return OTHER_TEMPLATES
  if (kind < 0.8) return PLAIN_TEMPLATES
  if (kind < 0.86) return FOREIGN_PLAIN_TEMPLATES
  return kind < 0.97 ? FOREIGN_NAME_TEMPLATES : FOREIGN_ADDRESS_TEMPLATES
}

/** The sentence as people type it who write names small and all else as it should be. */
function smallNames(labelled: Labelled): Labelled {
  let { text } = labelled
  for (const [start, end, label] of labelled.spans) {
    const small = text.slice(start, end).toLowerCase()
    if (label === "NAME" && small.length === end - start) text = text.slice(0, start) + small + text.slice(end)
  }
  return { ...labelled, text }
}

/** Only where no letter changes its length: the spans must stay right. */
function changeCase(labelled: Labelled, change: (text: string) => string): Labelled {
  const text = [...labelled.text]
    .map(letter => (change(letter).length === letter.length ? change(letter) : letter))
    .join("")
  return { ...labelled, text }
}

function joined(parts: Labelled[], separator: string): Labelled {
  const all: Labelled = { text: "", spans: [] }
  for (const part of parts) {
    if (all.text) all.text += separator
    const offset = all.text.length
    all.text += part.text
    for (const [start, end, label] of part.spans) all.spans.push([start + offset, end + offset, label])
  }
  return all
}

const lines: string[] = []
for (let i = 0; i < Number(count); i++) {
  const parts = [sentence()]
  while (chance(0.3) && parts.length < 4) parts.push(sentence())
  lines.push(JSON.stringify(joined(parts, pick([" ", " ", "\n", "\n\n", "  "]))))
}
await Bun.write(out, `${lines.join("\n")}\n`)
