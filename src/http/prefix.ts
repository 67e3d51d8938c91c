/** The prefix that is canonical; every route answers without it as well, those of health and the compatible ones only so. */
export const PREFIX = "/external-docs"

export const withoutPrefix = (path: string): string =>
  path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path
