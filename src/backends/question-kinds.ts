/** Question words that ask for a kind of thing, and what such a thing looks like in a sentence; in several languages. */

interface QuestionKind {
  asks: RegExp
  shape: RegExp
}

/** Without `\b`, which knows ASCII letters alone. */
const words = (list: string): string => `(?<![\\p{L}\\p{M}])(?:${list.trim().split(/\s+/).join("|")})(?![\\p{L}\\p{M}])`

const FIGURES = `${words(`one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy
eighty ninety hundred thousand every daily weekly monthly yearly once twice first second third fourth
ein eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig täglich wöchentlich monatlich
deux trois quatre cinq six sept huit neuf dix onze douze quinze vingt trente dos tres cuatro cinco seis siete ocho nueve diez
doce quince veinte treinta due tre quattro cinque sei sette otto nove dieci dodici venti trenta três sete oito dez doze vinte
два две двух три трёх четыре четырёх пять шесть семь восемь девять десять двадцать полгода
दो तीन चार पाँच छह सात आठ नौ दस बारह पंद्रह बीस सौ हज़ार लाख एक`)}|[一二三四五六七八九十百千万两〇半]|(?:واحد|اثن|ثلاث|أربع|خمس|ست|سبع|ثمان|تسع|عشر|مئت|مائ|ألف|شهرين|يومين)`

const TIMES = `${words(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december morning evening noon spring summer autumn winter days? weeks? months? years? until before after
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember uhr tagen? wochen? monate?n?
lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre octobre novembre décembre jours? semaines?
lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre días? semanas? meses
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre giorni janeiro fevereiro março junho julho setembro outubro dezembro terças? sextas? horas?
января февраля марта апреля мая июня июля августа сентября октября ноября декабря дней дня часов
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर बजे दिन महीना महीने वर्ष`)}|[年月日时時点點週周]|(?:الساعة|اليوم|يوم|شهر|أسبوع|سنة)`

const KINDS: readonly QuestionKind[] = [
  {
    asks: new RegExp(
      `${words("how\\s+(?:much|many|long|far|old|heavy|high|large|big|fast|often|early|late|quickly|hot|warm|loud|tall) what\\s+(?:percentage|number|amount|price|cost|sum) wie\\s+(?:viele?|lang|hoch|oft|teuer|weit|früh|schnell|groß) combien cuánt[oa]s? quant[oaie]s? сколько как\\s+(?:долго|часто) какую\\s+сумму कितन[ाीे]")}|(?:كم|几|多少|多久|多长|いくら|何[日月人年冊枚個台回か]|どのくらい|いくつ)`,
      "iu",
    ),
    shape: new RegExp(`\\p{N}|${FIGURES}`, "iu"),
  },
  {
    asks: new RegExp(
      `${words("when (?:what|which)\\s+(?:year|date|day|month|time) wann quand quelle\\s+(?:heure|date) cuándo qué\\s+(?:fecha|año|día) quando che\\s+(?:data|giorno) когда во\\s+сколько कब कितने\\s+बजे")}|(?:متى|什么时候|几点|いつ|何時|何曜日)`,
      "iu",
    ),
    shape: new RegExp(`\\p{N}|${FIGURES}|${TIMES}`, "iu"),
  },
  {
    asks: new RegExp(
      `${words("who whose whom wer wem wen quién quiénes chi quem кто кого кому कौन")}|(?:من هو|من هي|谁|誰)`,
      "iu",
    ),
    // A name: two capitalized words beside each other or one within the sentence. Scripts without capitals tell none.
    shape:
      /\p{Lu}\p{Ll}+\s+\p{Lu}\p{Ll}+|[\p{Ll},]\s+\p{Lu}\p{Ll}+|[\p{Script=Arabic}\p{Script=Han}\p{Script=Devanagari}\p{Script=Hangul}]/u,
  },
]

/** What a sentence must look like to hold what is asked for; none where the question asks for no kind. */
export const shapesAsked = (question: string): RegExp[] =>
  KINDS.filter(({ asks }) => asks.test(question)).map(({ shape }) => shape)
