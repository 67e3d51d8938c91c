/** Serves the console: its page under every address that its router knows, and the files that the page loads. */
import { CONSOLE_FILES, type ConsoleAsset } from "../native/console-assets.ts"

/** No inline script or style, nothing from elsewhere, no frames around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer", // the setup link's token must not travel on
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  Vary: "Accept-Encoding",
}

interface Source {
  assets(): Promise<Map<string, ConsoleAsset>>
  /** First parts of the addresses that the console's router knows. */
  addresses(): Promise<readonly string[]>
}

/** Answers the console's addresses, which are for GET and HEAD; undefined for all others. Its files are loaded at the first use. */
export function consolePages(source: Source): (request: Request, path: string) => Promise<Response | undefined> {
  let addresses: Promise<Set<string>> | undefined
  return async (request, path) => {
    addresses ??= source.addresses().then(list => new Set(list))
    const isFile = path.startsWith(CONSOLE_FILES)
    if (!isFile && !(await addresses).has(path.split("/", 2)[1]!)) return undefined
    const asset = (await source.assets()).get(isFile ? path : "/index.html")
    return asset && answerAsset(request, asset, isFile ? "public, max-age=31536000, immutable" : "no-cache")
  }
}

/** @param more headers in the place of those of the console */
export function answerAsset(
  request: Request,
  { body, type, etag }: ConsoleAsset,
  cacheControl: string,
  more: Record<string, string> = {},
): Response {
  const headers: Record<string, string> = {
    ...HEADERS,
    ...more,
    "Content-Type": type,
    ETag: etag,
    "Cache-Control": cacheControl,
  }
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers })
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
  if (takesGzip) headers["Content-Encoding"] = "gzip"
  if (request.method === "HEAD") return new Response(null, { headers })
  return new Response(takesGzip ? body : Bun.gunzipSync(body), { headers })
}
