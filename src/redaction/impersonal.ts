/**
 * What says that a find of the entity model names no person: the words of which it is a part or that stand beside it.
 * `Clayton Act`, `Bell's palsy`, `Lake Louise`, `Marbury v.`: whole classes of companies, places, laws,
 * illnesses and works are named like persons, and the model sees too few words to know them.
 */
import { commonWords, givenNames, isListedSurname } from "./lexicon.ts"

/** Behind such words stands a place, a saint, a storm or an institution. */
const HEAD_BEFORE =
  "mount|mt|lake|loch|port|fort|cape|isle of|isles? of|island of|gulf of|bay of|river|san|santa|santo|são|saint|sainte|st|ste|sankt|lago|mont|puerto|château|cabo|île|lac|piazza|plaza|university of|college of|city of|town of|county of|bank of|duchy of|province of|state of|republic of|church of|order of|treaty of|battle of|port of|house of|hurricane|cyclone|typhoon|tropical storm|operation|project|HMS|USS"
/** Behind a find that is one of these, or ends in one, no person is meant; none of them is a frequent surname. */
const HEAD_AFTER =
  "corp|corporation|inc|ltd|limited|LLC|LLP|PLC|GmbH|AG|KG|bros|brothers|company|companies|group|holdings|industries|international|technologies|technology|systems|software|solutions|laboratories|labs|pharmaceuticals|pharma|motors|airlines|airways|railway|insurance|financial|securities|capital|entertainment|pictures|studios|records|books|publishing|publishers|press|brewery|brewing|foods|stores|supermarkets|hotels|resort|casino|magazine|times|tribune|gazette|herald|chronicle|journal|news|university|college|school|academy|institute|institution|hospital|clinic|museum|gallery|library|theatre|theater|stadium|arena|airport|station|cathedral|abbey|basilica|foundation|trust|association|society|council|committee|commission|agency|authority|department|ministry|board|bureau|union|league|party|parliament|congress|court|tribunal|act|bill|amendment|agreement|treaty|convention|doctrine|rule|ruling|plan|programme|program|initiative|reform|reforms|report|precedent|hearing|hearings|award|awards|prize|medal|cup|trophy|championship|open|festival|river|creek|valley|bay|beach|falls|mountain|mountains|island|islands|peninsula|canal|harbour|harbor|county|city|district|borough|province|avenue|boulevard|road|highway|motorway|square|bridge|tower|towers|palace|castle|gardens|hotel|mall|centre|center|united|rovers|wanderers|albion|athletic|FC|CF|SC|rangers|sonata|symphony|requiem|passion|mass"
/** Behind a name, or its genitive, things that are named after their finder. */
const EPONYM =
  "disease|diseases|syndrome|palsy|sign|reflex|score|scale|test|criteria|anomaly|sarcoma|lymphoma|tumou?r|carcinoma|dystrophy|ataxia|chorea|thyroiditis|an(?:ae|e)mia|fracture|procedure|operation|man(?:oeuvre|euver)|stain|agar|medium|cells?|bod(?:y|ies)|duct|node|laws?|theorem|lemma|equations?|conjecture|hypothesis|principle|paradox|constant|numbers?|functions?|transform|distribution|process|model|method|algorithm|code|spaces?|effect|curve|index|coefficient|inequality|matri(?:x|ces)|polynomials?|series|sequence|integral|operator|field|algebra|manifold|comet|belt|telescope|razor|clause|doctrine|rule|warnings?|hearings?|precedent|ruling|decision|vaccine|cards?|engines?"

/** The same in English where they are written small: `hurricanes Harvey`, `the village Ella`. */
const SMALL_HEAD_BEFORE =
  "hurricanes?|cyclones?|typhoons?|storms?|planets?|asteroid|moons?|rivers?|lakes?|towns?|city|cities|village|islands?|state of|county of|district of|province of"
/** Heads are part of the name: they have its capital. */
const written = (words: string): string => words.replace(/(?<=^|\|)\p{Ll}/gu, letter => letter.toUpperCase())
const AFTER_SMALL_HEAD = new RegExp(`(?<!\\p{L})(?:${SMALL_HEAD_BEFORE}) (?:\\p{Lu}[\\p{L}'’-]+ )?$`, "u")
const AFTER_HEAD = new RegExp(`(?<!\\p{L})(?:${written(HEAD_BEFORE)})\\.? $`, "u")
const BEGINS_IN_HEAD = new RegExp(`^(?:${written(HEAD_BEFORE)})\\.? \\p{Lu}`, "u")
const BEFORE_HEAD = new RegExp(`^ (${written(HEAD_AFTER)})(?!\\p{L})`, "u")
const ENDS_IN_HEAD = new RegExp(`(?<!\\p{L})(?:${written(HEAD_AFTER)})$`, "u")
/** Nobody is called so, whatever stands before it. */
const COMPANY_FORM =
  /(?<!\p{L})(?:Corp|Corporation|Inc|Ltd|Limited|LLC|LLP|PLC|plc|GmbH|Bros|Company|Airlines|University|Holdings|& Co)\.?$/u
const BEFORE_EPONYM = new RegExp(`^(?:['’]s?)? (?:${EPONYM})(?!\\p{L})`, "u")
/** Nobody owns these: their first part is no person even where it is a first name. */
const BEFORE_ILLNESS =
  /^(?:['’]s?)? (?:syndrome|palsy|sarcoma|lymphoma|carcinoma|dystrophy|ataxia|chorea|thyroiditis|theorem|lemma|conjecture|paradox)(?!\p{L})/u
/** `Miranda warnings`, `the new Alice precedent`: what no first name stands right before. */
const BEFORE_HEADWORD =
  /^ (?:warnings|precedent|equations?|hypothesis|principle|coefficient|inequality|polynomials?|matri(?:x|ces)|doctrine|telescope|vaccine|titration|criteria|method|algorithm|theorem|syndrome|effect|constant)(?!\p{L})/u
/** `Rosa canina`: a genus and its species. */
const BEFORE_SPECIES =
  /^ (\p{Ll}{2,}(?:us|um|is|ii|ae|ens|ea|ina|ata|osa|ana|ica|alis|oides|olia|ifera|iflora))(?!\p{L})/u
/** Where places are named: `in Victoria`; `in Emma's house` and `in Smith et al.` go on otherwise. */
const AFTER_PLACE_WORD =
  /(?<!(?:believe|believed|believes|trust|trusts|trusted|faith|confidence|interest|interested|find|found|see|saw) )(?<!\p{L})(?:in|near|via|across|around|throughout|outside|towards?|leaves) $/iu
const NO_PLACE = /^(?:['’]s|['’]| et al| and \p{Lu}| & | \(|,? \d{4}| \p{Lu})/u
/** Parties of a case. */
const BEFORE_VERSUS = /^,? vs?\.? /u
const HOLDS_VERSUS = /^(?:\S+ )?vs?\.? \S+$/u
const AFTER_VERSUS = /(?<!\p{L})vs?\.? $/u
/** `Harley-Davidson`, `Dodd-Frank`: half of a pair was found. */
const BEFORE_PARTNER = /^(?:-| ?& ?)\p{Lu}/u
const AFTER_PARTNER = /\p{Ll}(?:-| ?& ?)$/u
/** `a Stradivarius`; `a Michael Smith` is somebody whom the writer does not know. */
const AFTER_A = /(?<!\p{L})(?:a|an|A|An) $/u

/**
 * @param value the find, in capitals
 * @param before what stands before it, to the window's begin
 * @param after what stands behind it, to the window's end
 */
export function isPartOfThing(value: string, before: string, after: string): boolean {
  const words = value.split(/\s+/)
  const alone = words.length === 1
  const given = givenNames().has(words[0]!.toLowerCase())
  if (ENDS_IN_HEAD.test(value) && (alone || !given || COMPANY_FORM.test(value))) return true
  if (COMPANY_FORM.test(`${value}${/^.?\S*/.exec(after)![0]}`)) return true
  if ((alone || !given) && isHead(BEFORE_HEAD.exec(after)?.[1], given)) return true
  if (AFTER_HEAD.test(before) && words.length < 3) return true
  if (BEGINS_IN_HEAD.test(value) && words.length < 3) return true
  if (alone && (BEFORE_ILLNESS.test(after) || (!given && BEFORE_EPONYM.test(after)))) return true
  if (AFTER_SMALL_HEAD.test(before) && words.length < 4) return true
  if (words.length < 3 && BEFORE_HEADWORD.test(after)) return true
  if (alone && isSpecies(BEFORE_SPECIES.exec(after)?.[1])) return true
  if (alone && AFTER_PLACE_WORD.test(before) && !NO_PLACE.test(after)) return true
  if (HOLDS_VERSUS.test(value)) return true
  if (alone && (BEFORE_VERSUS.test(after) || AFTER_VERSUS.test(before))) return true
  if (alone && !given && (BEFORE_PARTNER.test(after) || AFTER_PARTNER.test(before))) return true
  return alone && AFTER_A.test(before)
}

const isSpecies = (epithet: string | undefined): boolean => epithet !== undefined && !commonWords().has(epithet)

/** After a first name what may be a surname (`Sarah Court`) is one. */
const isHead = (head: string | undefined, given: boolean): boolean =>
  head !== undefined && !(given && isListedSurname(head.toLowerCase()))

/** `356 N.W.2d 738 (Minn`, `August 12, 2005`, `D454EDE79FCD2CAE`: numbers among letters that lead to no house. */
export const isCitationOrDate = (value: string): boolean =>
  CITATION.test(value) || DATE.test(value) || /^(?=.*\d\p{Lu}+\d)[\dA-F]{12,}$/u.test(value)
const CITATION = /[\p{Lu}.][23]d(?!\p{L})|(?<!\p{L})(?:Cir|LEXIS)(?!\p{L})/u
const DATE =
  /^(?:(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?|\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)),? ?(?:\d{4})?$/iu
