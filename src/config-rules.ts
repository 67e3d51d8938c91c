/** The kinds of settings: how each is given as text and in `carrel.toml`, and the rule that its value must meet. */
import { isIP } from "node:net"
import { resolve } from "node:path"

export interface Setting<T> {
  doc: string
  default: T
  /**
   * Turns the given text into the value, or throws an Error that says the rule. Relative paths start at `base`: the
   * working directory of whoever typed them, or the folder of `carrel.toml`.
   */
  parse(text: string, base: string): T
  /** What `carrel.toml` holds for it. */
  written: "text" | "number" | "switch" | "list"
  /** How the value is written in help: `PORT`, `DIR` … Absent for switches. */
  placeholder?: string
  /** Another environment variable that is honored when the setting's own is not given. */
  alias?: string
  /** For a value that is secret, or holds a secret: what of it may be shown. */
  shown?(value: T): string
}

export const text = (placeholder: string, fallback: string, doc: string): Setting<string> => ({
  doc,
  default: fallback,
  parse: value => value,
  written: "text",
  placeholder,
})

/** A file or folder; absolute once it is read. */
export const path = (placeholder: string, doc: string): Setting<string> => ({
  ...text(placeholder, "", doc),
  parse: (value, base) => (value === "" ? "" : resolve(base, value)),
})

export function integer(placeholder: string, fallback: number, doc: string, min: number, max: number): Setting<number> {
  return {
    doc,
    default: fallback,
    placeholder,
    written: "number",
    parse(value) {
      const parsed = Number(value)
      if (!/^\d+$/.test(value.trim()) || parsed < min || parsed > max)
        throw new Error(`must be a whole number from ${min} to ${max}`)
      return parsed
    },
  }
}

export function oneOf<const T extends string>(choices: readonly T[], fallback: T, doc: string): Setting<T> {
  return {
    doc,
    default: fallback,
    placeholder: choices.join("|"),
    written: "text",
    parse(value) {
      const found = choices.find(choice => choice === value)
      if (!found) throw new Error(`must be one of ${choices.join(", ")}`)
      return found
    },
  }
}

export function flag(doc: string): Setting<boolean> {
  return {
    doc,
    default: false,
    written: "switch",
    parse(value) {
      if (/^(1|true|yes|on)$/i.test(value)) return true
      if (/^(0|false|no|off|)$/i.test(value)) return false
      throw new Error("must be true or false")
    },
  }
}

/** Items between commas; in `carrel.toml` also an array. `item` gives an item its common spelling, or throws the rule. */
export const list = (placeholder: string, doc: string, item: (text: string) => string): Setting<string[]> => ({
  doc,
  default: [],
  placeholder,
  written: "list",
  parse: value =>
    value
      .split(",")
      .map(each => each.trim())
      .filter(Boolean)
      .map(item),
})

export function url(fallback: string, doc: string, alias?: string): Setting<string> {
  return {
    doc,
    default: fallback,
    placeholder: "URL",
    written: "text",
    ...(alias ? { alias } : {}),
    parse: value => (value === "" ? "" : serverAddress(value).withScheme),
  }
}

/** Of a server as such: others see it, and append paths of their own. */
export function origin(doc: string): Setting<string> {
  const setting = url("", doc)
  return {
    ...setting,
    parse(value, base) {
      const address = setting.parse(value, base)
      if (address !== "" && new URL(address).href !== `${new URL(address).origin}/`)
        throw new Error("must be an address without user, path and query, such as http://10.0.0.5:4747")
      return address
    },
  }
}

const HOST_NAME = /^(?:[\w.-]+|\[[0-9a-f:.]+\])$/i

/** @throws Error when it is no http or https address; the scheme may be left out. */
function serverAddress(value: string): { withScheme: string; address: URL } {
  const withScheme = (/^https?:\/\//.test(value) ? value : `http://${value}`).replace(/\/+$/, "")
  const address = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  // The parser takes nearly any sign for a part of a name.
  if (!address || !HOST_NAME.test(address.hostname) || address.pathname.startsWith("//"))
    throw new Error("must be an http or https address, such as http://127.0.0.1:11434")
  return { withScheme, address }
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/

/** A provider of sign-ins, exactly as it calls itself: a slash at the end counts. */
export function issuer(value: string): string {
  if (value === "") return ""
  const address = URL.canParse(value) ? new URL(value) : undefined
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.search || address.hash)
    throw new Error(
      "must be the address that the provider calls itself by, such as https://id.example.org/realms/staff",
    )
  if (address.pathname.includes("/.well-known/"))
    throw new Error("must be the issuer, without /.well-known and what follows")
  if (address.protocol === "http:" && !LOOPBACK.test(address.hostname))
    throw new Error("must begin with https:// where the provider does not run on this machine")
  return value
}

/** Ollama's own variable may lack scheme and port, and may name the address it binds to rather than one to call. */
export function ollamaAddress(value: string): string {
  const { address } = serverAddress(value)
  const bare = !/:\d+$/.test(value.replace(/\/+$/, "")) && !/^https?:\/\//.test(value)
  if (bare) address.port = "11434"
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  return address.href.replace(/\/+$/, "")
}

/** Names are the model server's business; these can be none. */
export function modelValue(value: string): string {
  if (
    value !== value.trim() ||
    /[\u0000-\u001f]/.test(value) ||
    value.length > 512 ||
    /^(ollama|openai|builtin)\/?$/.test(value)
  )
    throw new Error("must be a model as GET /external/models lists it, such as ollama/llama3.2:3b")
  return value
}

export function nodeName(value: string): string {
  if (!/^[\w.:-]{0,100}$/.test(value)) throw new Error("must be letters, digits, dots, hyphens, at most 100")
  return value
}

export function hostName(value: string): string {
  if (!/^[\w.:%-]+$/.test(value)) throw new Error("must be an address or a name of this machine, such as 0.0.0.0")
  return value
}

/** Seconds, or Go's way to write a length of time: `30m`, `1h30m`, `-1`. */
export function ollamaDuration(value: string): string {
  if (!/^(?:-?\d+|-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+|)$/.test(value))
    throw new Error("must be a duration such as 30m, 1h30m or a number of seconds; -1 for ever")
  return value
}

/** As the peer of a connection is named: IPv6 in its short form. */
export function ipAddress(value: string): string {
  if (isIP(value) === 0) throw new Error("must be IP addresses with commas between them, such as 127.0.0.1,10.0.0.2")
  return isIP(value) === 6 ? new URL(`http://[${value}]`).hostname.slice(1, -1) : value
}

/** As browsers write it in the header `Origin`. */
export function webOrigin(value: string): string {
  const parsed = /^https?:\/\//i.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const bare = parsed && HOST_NAME.test(parsed.hostname) && parsed.href === `${parsed.origin}/`
  if (!bare)
    throw new Error("must be origins with commas between them, such as https://app.example.org (no path, no *)")
  return parsed.origin
}
