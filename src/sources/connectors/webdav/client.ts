/**
 * Requests to one WebDAV server. Credentials are sent to it alone: a redirect is followed within its origin, and told of
 * where it leads elsewhere. (The package `webdav` takes its transport from one place for the whole process, and so could
 * not be held to the checks of each connection.)
 */
import type { Egress, EgressInit } from "../../../egress/egress.ts"
import { AppError } from "../../../errors.ts"
import { type DigestChallenge, digestAnswer, digestChallenge } from "./digest.ts"

export interface DavCredentials {
  username: string
  password: string
}

export interface DavRequest extends EgressInit {
  method: string
  headers?: Record<string, string>
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** A chain this long is a circle. */
const MAX_REDIRECTS = 5

export class DavClient {
  private challenge: { answered: DigestChallenge; count: number } | undefined

  constructor(
    private readonly egress: Pick<Egress, "fetch">,
    private readonly credentials: DavCredentials | null,
  ) {}

  /** @throws AppError fetch_failed, forbidden (also for a redirect to elsewhere); the signal's reason */
  async ask(address: URL, request: DavRequest): Promise<Response> {
    let url = address
    for (let count = 0; ; count++) {
      const response = await this.authorized(url, request)
      const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
      if (location === null || !URL.canParse(location, url)) return response
      const target = new URL(location, url)
      await response.body?.cancel()
      if (target.origin !== url.origin)
        throw new AppError("forbidden", {
          message: `the server redirects to ${target.origin}, which is not followed; set the url of the source to it if it is yours`,
        })
      if (count === MAX_REDIRECTS)
        throw new AppError("fetch_failed", { message: `more than ${MAX_REDIRECTS} redirects, or a circle of them` })
      url = target
    }
  }

  /** Basic at once, which nearly every server takes and saves a request each; Digest where the server asks for it. */
  private async authorized(url: URL, request: DavRequest): Promise<Response> {
    const first = await this.send(url, request)
    const asked = first.status === 401 && this.credentials && digestChallenge(first.headers.get("www-authenticate"))
    if (!asked) return first
    await first.body?.cancel()
    this.challenge = { answered: asked, count: 0 }
    return this.send(url, request)
  }

  private send(url: URL, request: DavRequest): Promise<Response> {
    const authorization = this.authorization(url, request.method)
    const headers = { ...request.headers, ...(authorization ? { authorization } : {}) }
    return this.egress.fetch(url, { ...request, headers })
  }

  private authorization(url: URL, method: string): string | undefined {
    const { credentials, challenge } = this
    if (!credentials) return undefined
    if (!challenge) return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`
    const uri = `${url.pathname}${url.search}`
    return digestAnswer(challenge.answered, credentials, { method, uri, count: ++challenge.count })
  }
}
