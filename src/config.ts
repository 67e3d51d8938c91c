/**
 * Every setting once: name, what it does, default, rule. The only reader of `process.env`.
 * `--rate-limit-per-minute` on the command line is `CARREL_RATE_LIMIT_PER_MINUTE` in the environment; the flag wins.
 */
import { cpus } from "node:os"
import { resolve } from "node:path"

interface Setting<T> {
  doc: string
  default: T
  /** Turns the given text into the value, or throws an Error that says the rule. */
  parse(text: string): T
  /** How the value is written in help: `PORT`, `DIR` … Absent for switches. */
  placeholder?: string
  /** Another environment variable that is honoured when the setting's own is not given. */
  alias?: string
}

const text = (placeholder: string, fallback: string, doc: string): Setting<string> => ({
  doc,
  default: fallback,
  parse: value => value,
  placeholder,
})

function integer(placeholder: string, fallback: number, doc: string, min: number, max: number): Setting<number> {
  return {
    doc,
    default: fallback,
    placeholder,
    parse(value) {
      const parsed = Number(value)
      if (!/^\d+$/.test(value.trim()) || parsed < min || parsed > max)
        throw new Error(`must be a whole number from ${min} to ${max}`)
      return parsed
    },
  }
}

function oneOf<const T extends string>(choices: readonly T[], fallback: T, doc: string): Setting<T> {
  return {
    doc,
    default: fallback,
    placeholder: choices.join("|"),
    parse(value) {
      const found = choices.find(choice => choice === value)
      if (!found) throw new Error(`must be one of ${choices.join(", ")}`)
      return found
    },
  }
}

function flag(doc: string): Setting<boolean> {
  return {
    doc,
    default: false,
    parse(value) {
      if (/^(1|true|yes|on)$/i.test(value)) return true
      if (/^(0|false|no|off|)$/i.test(value)) return false
      throw new Error("must be true or false")
    },
  }
}

function url(fallback: string, doc: string, alias?: string): Setting<string> {
  return {
    doc,
    default: fallback,
    placeholder: "URL",
    ...(alias ? { alias } : {}),
    parse: value => serverAddress(value).withScheme,
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

/** One file may be this large: 1 GB by specification. */
const ONE_GB = 1_073_741_824

export const SETTINGS = {
  data: { ...text("DIR", "./data", "directory that holds all state"), parse: (value: string) => resolve(value) },
  host: text("ADDRESS", "127.0.0.1", "address to listen on"),
  port: integer("PORT", 4747, "port to listen on", 0, 65_535),
  app_url: url("", "address under which browsers reach the console, for links; http://HOST:PORT when empty"),
  tls_cert: text("FILE", "", "certificate chain (PEM); with --tls-key the daemon answers https"),
  tls_key: text("FILE", "", "private key (PEM) of --tls-cert"),
  trusted_proxies: text(
    "ADDRESSES",
    "",
    "comma-separated addresses of reverse proxies whose X-Forwarded-For is believed",
  ),
  cors_origins: text(
    "ORIGINS",
    "",
    "comma-separated origins whose pages may call the API from a browser; none when empty",
  ),
  log_level: oneOf(["debug", "info", "warn", "error"], "info", "least severe log line that is written"),
  rate_limit_per_minute: integer(
    "N",
    100,
    "requests per minute and API key, unless the key has its own limit",
    1,
    1_000_000,
  ),
  max_file_bytes: integer("BYTES", ONE_GB, "largest file that an upload may hold", 1, ONE_GB),
  max_uploads: integer("N", 256, "uploads that are received at the same time", 1, 10_000),
  max_queued_files: integer(
    "N",
    100_000,
    "files that may wait to be indexed before uploads are refused as overloaded",
    1,
    100_000_000,
  ),
  models_dir: text("DIR", "", "further model folders (ONNX embedding and entity models); <data>/models when empty"),
  embedding_model: text("NAME", "", "embedding model: a folder name, or ollama/NAME; the built-in one when empty"),
  ollama_host: {
    ...url("http://127.0.0.1:11434", "address of the Ollama server", "OLLAMA_HOST"),
    parse: (value: string) => ollamaAddress(value),
  },
  disk_floor_mb: integer("MB", 256, "free space that uploads must leave for the databases", 0, 1_048_576),
  index_workers: integer(
    "N",
    Math.max(1, Math.min(4, cpus().length)),
    "files that are read at the same time, each in a process of its own",
    1,
    64,
  ),
  ocr_languages: text(
    "DIR",
    "",
    "folder of further Tesseract languages (NAME.traineddata or .gz); English is built in",
  ),
  reader_memory_mb: integer("MB", 1024, "memory that one reading process may take before it is ended", 128, 65_536),
  chunk_characters: integer("N", 1_000, "length that passages of a file aim at", 200, 8_000),
  chunk_overlap: integer("N", 120, "characters that neighbouring passages share", 0, 2_000),
  default_model: text(
    "MODEL",
    "",
    "model of requests that name none, such as ollama/llama3.2:3b; the first available one when empty",
  ),
  keep_alive: text(
    "TIME",
    "",
    "how long Ollama keeps a model loaded after use (30m, -1 for ever); its own setting when empty",
  ),
  max_context_tokens: integer(
    "N",
    0,
    "largest context window that chats ask for, to save memory; 0 for the model's own",
    0,
    16_777_216,
  ),
  model_parallel: integer("N", 224, "requests that are sent to one model at the same time", 1, 224),
  model_queue: integer("N", 256, "requests that wait for one model before more are refused as overloaded", 0, 100_000),
  model_silence_seconds: integer(
    "N",
    900,
    "longest silence of a model server before its answer is given up",
    5,
    86_400,
  ),
  max_replies: integer(
    "N",
    1_000,
    "replies that are written at the same time before more are refused as overloaded",
    1,
    100_000,
  ),
  allow_remote_models: flag(
    "permit models that the model server runs elsewhere: prompts and passages leave this network",
  ),
  openai_base_url: url(
    "",
    "an OpenAI-compatible server (llama.cpp, vLLM, LM Studio) with its version path: http://HOST:PORT/v1",
  ),
  openai_api_key: text("KEY", "", "key of the OpenAI-compatible server, if it asks for one"),
  openai_context_tokens: integer(
    "N",
    8_192,
    "context window of the OpenAI-compatible server where it does not tell",
    512,
    16_777_216,
  ),
  file_wait_seconds: integer(
    "N",
    30,
    "how long a chat waits for files given to it that are still being indexed",
    0,
    3_600,
  ),
  query_rewriting: oneOf(
    ["auto", "off"],
    "auto",
    "lets the chat model write the search query of a follow-up, while it is loaded; off: history terms alone",
  ),
  agent_concurrency: integer("N", 32, "agent runs that go at the same time; further ones wait their turn", 1, 1_000),
  agent_queue: integer("N", 256, "agent runs that may wait before more are refused as overloaded", 0, 100_000),
  agent_context_tokens: integer(
    "N",
    32_768,
    "largest context window that agent runs ask their model for",
    2_048,
    16_777_216,
  ),
  mcp_config: text("FILE", "", "JSON file that names the Model Context Protocol servers whose tools agents may use"),
  enforce_redaction: flag("redact every conversation and agent run, whatever the request says"),
  offline: flag("refuse every outbound connection but the one to the configured model server"),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export type Config = {
  [Name in SettingName]: (typeof SETTINGS)[Name]["default"] extends boolean
    ? boolean
    : ReturnType<(typeof SETTINGS)[Name]["parse"]>
}

/** A setting whose value breaks its rule; the daemon does not start. */
export class ConfigError extends Error {
  override name = "ConfigError"
}

export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`
export const variableOf = (name: string): string => `CARREL_${name.toUpperCase()}`

/**
 * Flags over environment over defaults. `args` are the words after the command; what is no setting stays in `rest`.
 * @throws ConfigError naming the flag or variable and the rule it breaks.
 */
export function readConfig(
  args: string[],
  env: Record<string, string | undefined> = process.env,
): { config: Config; rest: string[] } {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    values[name] = setting.default
    const given = env[variableOf(name)] ?? (setting.alias ? env[setting.alias] : undefined)
    if (given !== undefined && given !== "") values[name] = parse(variableOf(name), setting, given)
  }
  values.data = SETTINGS.data.parse(String(values.data))
  const rest: string[] = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    const [head, inline] = word.startsWith("--") ? splitOnce(word) : [word, undefined]
    const name = (Object.keys(SETTINGS) as SettingName[]).find(candidate => flagOf(candidate) === head)
    if (!name) {
      rest.push(word)
      continue
    }
    const setting = SETTINGS[name] as Setting<unknown>
    if (!setting.placeholder) values[name] = parse(head, setting, inline ?? "true")
    else {
      const value = inline ?? args[++i]
      if (value === undefined) throw new ConfigError(`${head}: needs a value`)
      values[name] = parse(head, setting, value)
    }
  }
  return { config: values as Config, rest }
}

function parse(source: string, setting: Setting<unknown>, value: string): unknown {
  try {
    return setting.parse(value)
  } catch (error) {
    throw new ConfigError(`${source}: ${(error as Error).message} (given: ${JSON.stringify(value)})`)
  }
}

/** Ollama's own variable may lack scheme and port, and may name the address it binds to rather than one to call. */
function ollamaAddress(value: string): string {
  const { address } = serverAddress(value)
  const bare = !/:\d+$/.test(value.replace(/\/+$/, "")) && !/^https?:\/\//.test(value)
  if (bare) address.port = "11434"
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  return address.href.replace(/\/+$/, "")
}

/** Where browsers reach the console. */
export const appUrl = (config: Config): string =>
  config.app_url ||
  `${config.tls_cert ? "https" : "http"}://${config.host.includes(":") ? `[${config.host}]` : config.host}:${config.port}`

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf("=")
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

/** The lines of `carrel serve --help` about settings. */
export function settingsHelp(): string {
  return (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][])
    .map(([name, setting]) => {
      const head = `${flagOf(name)}${setting.placeholder ? ` ${setting.placeholder}` : ""}`
      const fallback = setting.default === "" || setting.default === false ? "" : ` [${String(setting.default)}]`
      return `  ${head}\n      ${setting.doc}${fallback}\n      ${variableOf(name)}${setting.alias ? `, or ${setting.alias}` : ""}`
    })
    .join("\n")
}
