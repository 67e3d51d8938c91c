/** The file types that uploads may have, by extension, with the MIME type that downloads are served with. */
export const EXTENSIONS = {
  pdf: "application/pdf",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  csv: "text/csv",
  json: "application/json",
  txt: "text/plain",
  html: "text/html",
  htm: "text/html",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  zip: "application/zip",
  md: "text/markdown",
  sql: "application/sql",
  yml: "application/yaml",
  yaml: "application/yaml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  odt: "application/vnd.oasis.opendocument.text",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  rtf: "application/rtf",
  epub: "application/epub+zip",
} as const satisfies Record<string, string>

export type Extension = keyof typeof EXTENSIONS

/** The accepted extension of a file name, in lower case; undefined where it has none that is accepted. */
export function findExtension(name: string): Extension | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return Object.hasOwn(EXTENSIONS, extension) && name.includes(".") ? (extension as Extension) : undefined
}
