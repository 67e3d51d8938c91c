/** Cookies of the console: out of reach of script, and over TLS alone wherever it is used. */
import { contextOf } from "./context.ts"

interface Cookie {
  name: string
  /** Empty takes the cookie away, with `maxAgeSeconds` 0. */
  value: string
  maxAgeSeconds: number
  path: string
  /** `Lax`: also comes with a request to which another site has sent the browser. */
  sameSite: "Strict" | "Lax"
}

export function setCookie(request: Request, { name, value, maxAgeSeconds, path, sameSite }: Cookie): string {
  // A proxy that ends TLS says so; believing a forged header only makes the cookie stricter.
  const secure = contextOf(request).secure || request.headers.get("x-forwarded-proto") === "https"
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure ? "; Secure" : ""}`
}

export function cookieOf(request: Request, wanted: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=")
    if (name === wanted && value) return value
  }
  return undefined
}
