/**
 * What says in languages other than English that a find of the entity model names no person: a noun before it that is named
 * after persons (`lycée Victor Hugo`, `Ulica Jana Pawła`), one behind it (`Hermann Hesse Gymnasium`), a feast.
 */
/** By language: French, Italian, Spanish, Portuguese, German, Dutch, Polish and its neighbors, Swahili, Hausa, Indonesian, Vietnamese. */
const HEADS_BEFORE = [
  "lycée|collège|école|université|hôpital|clinique|bibliothèque|aéroport|gare|rue|avenue|boulevard|quai|pont|tour|musée|stade|théâtre|prix|loi|île|fort|port|lac|mont|ouragan|tempête|parc|canal|marché",
  "liceo|scuola|università|ospedale|aeroporto|stazione|via|piazza|corso|ponte|teatro|museo|stadio|premio|legge|pizza|isola|lago|monte|castello|palazzo|uragano|parco",
  "colegio|escuela|universidad|hospital|aeropuerto|estación|calle|plaza|avenida|puente|estadio|ley|isla|volcán|provincia|ciudad|huracán|parque",
  "colégio|escola|universidade|estação|rua|praça|estádio|prémio|prêmio|lei|ilha|cidade|furacão",
  "sturm|orkan|hurrikan|universität|gymnasium|schule|schloss|sankt|sint|museum|brug",
  "ulica|ul\\.|plac|aleja|most|szpital|szkoła|lotnisko|ulice|náměstí|nemocnice|letiště|utca|tér|híd|strada|piața|spitalul",
  "ziwa|mto|mlima|uwanja wa|jihar|asibitin|jami['’]ar|filin|garin|hukumar|kamfanin|ranar|watan|tafkin|birnin|sungai|gunung|danau|kota|jalan|ilog|lawa ng",
  "đường|trường|cầu|quận|phố|sông|núi|hồ|tỉnh|huyện|chợ|bệnh viện",
].join("|")
const AFTER_HEAD = new RegExp(`(?<!\\p{L})(?:${HEADS_BEFORE}) (?:\\p{Lu}[\\p{L}'’-]+ )?$`, "iu")
const BEGINS_IN_HEAD = new RegExp(`^(?:${HEADS_BEFORE}) \\p{Lu}`, "iu")
const BEFORE_HEAD =
  /^[ -](?:Gymnasium|Schule|Realschule|Grundschule|Universität|Klinik|Klinikum|Krankenhaus|Stiftung|Museum|Stadion|Arena|Halle|Haus|Preis|Platz|Straße|Allee|Ring|Brücke|Park|Koog|College|Lyceum|school|straat|plein|brug|museet|gatan|skolan|prisen)(?!\p{L})/u
const FEASTS =
  /^(?:noël|pâques|toussaint|pentecôte|natale|pasqua|ferragosto|navidad|pascua|natal|páscoa|weihnachten|ostern|pfingsten|advent|kerstmis|pasen|jul|påsk|ramadan|ramazan|bayram|tết)$/

/** @param value the find, in capitals; `before` and `after` what stands around it in the window */
export function isForeignThing(value: string, before: string, after: string): boolean {
  const [first = "", ...rest] = value.toLowerCase().split(/\s+/)
  if (FEASTS.test(first)) return true
  return rest.length < 4 && (AFTER_HEAD.test(before) || BEGINS_IN_HEAD.test(value) || BEFORE_HEAD.test(after))
}
