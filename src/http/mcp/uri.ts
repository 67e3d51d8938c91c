/** Addresses of files among the resources. */
const SCHEME = "carrel://file/"

/** @param start the first character that is wanted */
export const resourceUri = (fileId: string, start = 0): string =>
  `${SCHEME}${fileId}${start > 0 ? `?start=${start}` : ""}`

export const RESOURCE_TEMPLATE = `${SCHEME}{id}`

/** Undefined for what is no such address. */
export function placeOfUri(uri: string): { fileId: string; start: number } | undefined {
  const [, fileId, start = "0"] = /^carrel:\/\/file\/(\w{1,64})(?:\?start=(\d{1,10}))?$/.exec(uri) ?? []
  return fileId === undefined ? undefined : { fileId, start: Number(start) }
}
