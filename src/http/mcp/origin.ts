/** Which pages of browsers may reach the endpoint of assistants: their own server's, and those that the operator names. */
import { AppError } from "../../errors.ts"

/**
 * The protocol asks for it: a page that a name was rebound for (DNS) would else speak to a server of this machine. So the
 * address that the page itself stands under counts only where no name could have been rebound to it.
 * @param own origins of this server as browsers know it, and of the pages that may call it
 * @throws AppError forbidden for any other origin, `null` among them
 */
export function refuseForeignOrigin({ headers, url }: Request, own: readonly string[]): void {
  const origin = headers.get("origin")
  if (origin === null || own.includes(origin)) return
  if (URL.canParse(origin) && isFixed(new URL(origin).hostname) && new URL(origin).host === new URL(url).host) return
  throw new AppError("forbidden", {
    message: "pages of this origin may not speak to this server",
    hint: "name the origin in --cors-origins (CARREL_CORS_ORIGINS) where the daemon is started",
  })
}

/** An address by numbers, or the name that always means this machine. */
const isFixed = (host: string): boolean => host === "localhost" || /^[\d.]+$/.test(host) || host.startsWith("[")
