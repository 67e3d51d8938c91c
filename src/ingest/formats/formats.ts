/**
 * The formats that Carrel reads, in one table: what uploads may be called, how a format shows in the bytes, who reads it,
 * where people look for it. Another format is a file with its reader and an entry here.
 */
import type { Content } from "./content.ts"
import type { Extractor } from "./extractor.ts"

/** Groups of types that a person thinks in, in the order in which they are offered. */
const GROUPS = [
  "PDF",
  "Documents",
  "Tables",
  "Slides",
  "Mail",
  "Text and web",
  "Data and code",
  "Pictures",
  "Archives",
] as const

interface Format {
  /**
   * Extensions of file names, each with the MIME type that downloads are served with. None where a format only turns up
   * under the names of others.
   */
  types: Readonly<Record<string, string>>
  group: (typeof GROUPS)[number]
  /** Takes milliseconds where a file is small. Not so: whatever may hold scans, old binary formats, archives. */
  quick?: true
  /** Has no signature: what is called so and is not recognized as something else is it. */
  plain?: true
  /** The rule by which its files are recognized, whatever they are called; see `extract.ts` for the order. */
  shows?: (content: Content) => boolean
  /** Loaded when its first file comes. */
  reader: () => Promise<Extractor>
}

const OPEN_XML = "application/vnd.openxmlformats-officedocument"
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument"

export const FORMATS = {
  pdf: {
    types: { pdf: "application/pdf" },
    group: "PDF",
    // The header may stand anywhere in the first kilobyte.
    shows: content => content.begins("%PDF-") || (content.named === "pdf" && content.opens(/%PDF-/)),
    reader: async () => (await import("./pdf/pdf.ts")).extractPdf,
  },
  doc: {
    types: { doc: "application/msword" },
    group: "Documents",
    shows: content => content.hasStream("worddocument"),
    reader: async () => (await import("./legacy/doc.ts")).extractDoc,
  },
  docx: {
    types: { docx: `${OPEN_XML}.wordprocessingml.document` },
    group: "Documents",
    quick: true,
    shows: content => content.hasMember("word/"),
    reader: async () => (await import("./office/docx.ts")).extractDocx,
  },
  xls: {
    types: { xls: "application/vnd.ms-excel" },
    group: "Tables",
    shows: content => content.hasStream("workbook") || content.hasStream("book"),
    reader: async () => (await import("./legacy/xls.ts")).extractXls,
  },
  xlsx: {
    types: { xlsx: `${OPEN_XML}.spreadsheetml.sheet` },
    group: "Tables",
    quick: true,
    shows: content => content.hasMember("xl/"),
    reader: async () => (await import("./office/xlsx.ts")).extractXlsx,
  },
  csv: {
    types: { csv: "text/csv" },
    group: "Tables",
    quick: true,
    plain: true,
    reader: async () => (await import("./text/csv.ts")).extractCsv,
  },
  json: {
    types: { json: "application/json" },
    group: "Data and code",
    quick: true,
    plain: true,
    reader: async () => (await import("./text/json.ts")).extractJson,
  },
  /** Word's XML in one file. */
  word_xml: {
    types: {},
    group: "Documents",
    shows: content => !content.namedPlain && content.isWordXml,
    reader: async () => (await import("./office/word-xml.ts")).extractWordXml,
  },
  mbox: {
    types: { mbox: "application/mbox" },
    group: "Mail",
    shows: content => !content.namedPlain && content.named !== "eml" && content.isMailbox,
    reader: async () => (await import("./mail/mbox.ts")).extractMbox,
  },
  /** Web pages are saved as mail messages too. */
  eml: {
    types: { eml: "message/rfc822" },
    group: "Mail",
    // What hangs on it may be a scan or an archive; few small ones have such.
    quick: true,
    shows: content => !content.namedPlain && content.isMessage,
    reader: async () => (await import("./mail/eml.ts")).extractEml,
  },
  msg: {
    types: { msg: "application/vnd.ms-outlook" },
    group: "Mail",
    shows: content => content.hasStream("__properties_version1.0"),
    reader: async () => (await import("./mail/msg.ts")).extractMsg,
  },
  /** `winmail.dat`, on mails. */
  tnef: {
    types: {},
    group: "Mail",
    shows: content => content.begins("\x78\x9f\x3e\x22"),
    reader: async () => (await import("./mail/tnef.ts")).extractTnef,
  },
  /** On mails. */
  calendar: {
    types: {},
    group: "Mail",
    shows: content => !content.namedPlain && content.opens(/^(?:\xef\xbb\xbf)?\s{0,100}BEGIN:VCALENDAR\b/i),
    reader: async () => (await import("./mail/calendar.ts")).extractCalendar,
  },
  /** Inside of archives. */
  svg: {
    types: {},
    group: "Pictures",
    shows: content => !content.namedPlain && content.isDrawing,
    reader: async () => (await import("./text/svg.ts")).extractSvg,
  },
  html: {
    types: { html: "text/html", htm: "text/html" },
    group: "Text and web",
    quick: true,
    plain: true,
    shows: content => !content.namedPlain && content.isPage,
    reader: async () => (await import("./text/html.ts")).extractHtml,
  },
  ppt: {
    types: { ppt: "application/vnd.ms-powerpoint" },
    group: "Slides",
    shows: content => content.hasStream("powerpoint document") || content.hasStream("pp40"),
    reader: async () => (await import("./legacy/ppt.ts")).extractPpt,
  },
  pptx: {
    types: { pptx: `${OPEN_XML}.presentationml.presentation` },
    group: "Slides",
    quick: true,
    shows: content => content.hasMember("ppt/"),
    reader: async () => (await import("./office/pptx.ts")).extractPptx,
  },
  md: {
    types: { md: "text/markdown" },
    group: "Text and web",
    quick: true,
    plain: true,
    reader: async () => (await import("./text/markdown.ts")).extractMarkdown,
  },
  sql: {
    types: { sql: "application/sql" },
    group: "Data and code",
    quick: true,
    plain: true,
    reader: async () => (await import("./text/sql.ts")).extractSql,
  },
  yaml: {
    types: { yml: "application/yaml", yaml: "application/yaml" },
    group: "Data and code",
    quick: true,
    plain: true,
    reader: async () => (await import("./text/yaml.ts")).extractYaml,
  },
  image: {
    types: {
      png: "image/png",
      jpg: "image/jpeg",
      jpeg: "image/jpeg",
      gif: "image/gif",
      webp: "image/webp",
    },
    group: "Pictures",
    shows: content => content.begins("\x89PNG", "\xff\xd8\xff", "GIF8") || content.opens(/^RIFF[\s\S]{4}WEBP/),
    reader: async () => (await import("./ocr/image.ts")).extractImage,
  },
  epub: {
    types: { epub: "application/epub+zip" },
    group: "Documents",
    quick: true,
    shows: content => content.hasMember("meta-inf/container.xml"),
    reader: async () => (await import("./text/epub.ts")).extractEpub,
  },
  odt: {
    types: { odt: `${OPEN_DOCUMENT}.text` },
    group: "Documents",
    quick: true,
    shows: content => content.hasMember("content.xml"),
    reader: async () => (await import("./office/office-parser.ts")).extractOdt,
  },
  odp: {
    types: { odp: `${OPEN_DOCUMENT}.presentation` },
    group: "Slides",
    quick: true,
    shows: content => content.named === "odp" && content.hasMember("content.xml"),
    reader: async () => (await import("./office/office-parser.ts")).extractOdp,
  },
  ods: {
    types: { ods: `${OPEN_DOCUMENT}.spreadsheet` },
    group: "Tables",
    quick: true,
    shows: content => content.named === "ods" && content.hasMember("content.xml"),
    reader: async () => (await import("./office/office-parser.ts")).extractOds,
  },
  rtf: {
    types: { rtf: "application/rtf" },
    group: "Documents",
    quick: true,
    shows: content => content.opens(/^(?:\xef\xbb\xbf)?\s{0,100}\{\\rtf/),
    reader: async () => (await import("./office/office-parser.ts")).extractRtf,
  },
  // The last two are what nothing above is.
  zip: {
    types: { zip: "application/zip" },
    group: "Archives",
    shows: content => content.isArchive,
    reader: async () => (await import("./archive/zip.ts")).extractZip,
  },
  txt: {
    types: { txt: "text/plain" },
    group: "Text and web",
    quick: true,
    plain: true,
    // Old programs call any text `.doc`.
    shows: content => (content.named === "doc" || content.named === undefined) && content.isText,
    reader: async () => (await import("./text/text.ts")).extractText,
  },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS
/** How uploads may end. */
export type Extension = { [Name in FormatName]: keyof (typeof FORMATS)[Name]["types"] }[FormatName]

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]
export const formatOf = (name: FormatName): Format => FORMATS[name]

const BY_EXTENSION = new Map(
  FORMAT_NAMES.flatMap(name => Object.keys(FORMATS[name].types).map(extension => [extension, name] as const)),
)

/** The accepted extensions with their MIME types. */
export const MIME_TYPES: ReadonlyMap<string, string> = new Map(
  FORMAT_NAMES.flatMap(name => Object.entries<string>(FORMATS[name].types)),
)

/** The accepted extensions in groups that people think in, none of them empty. */
export const TYPE_GROUPS = GROUPS.map(group => ({
  name: group as string,
  types: FORMAT_NAMES.filter(name => FORMATS[name].group === group).flatMap(name => Object.keys(FORMATS[name].types)),
}))

/** The accepted extension of a file name, in lower case; undefined where it has none that is accepted. */
export function findExtension(name: string): Extension | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return name.includes(".") && BY_EXTENSION.has(extension) ? (extension as Extension) : undefined
}

/** The format that an accepted extension names. */
export const findFormat = (extension: string): FormatName | undefined => BY_EXTENSION.get(extension)

/** Whether small files of this extension are read in milliseconds. */
export const isQuick = (extension: string): boolean => {
  const name = findFormat(extension)
  return name !== undefined && formatOf(name).quick === true
}
