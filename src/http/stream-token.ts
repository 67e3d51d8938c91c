/** The token of a stream, where a request has one in its address. */
import { withoutPrefix } from "./prefix.ts"

/** `path` is that of the stream, as the token was made for. Undefined for requests that have none, or that change something. */
export function streamTokenOf({ method, url }: Request): { token: string; path: string } | undefined {
  if (method !== "GET" || !url.includes("stream_token=")) return undefined
  const { pathname, searchParams } = new URL(url)
  const token = searchParams.get("stream_token")
  return token === null ? undefined : { token, path: withoutPrefix(pathname) }
}
