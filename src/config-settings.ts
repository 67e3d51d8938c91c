/** Every setting once: name, what it does, default, rule. Adding one is one entry here. */
import { cpus } from "node:os"
import { resolve } from "node:path"
import { blobUrl, databaseUrl, searchUrl } from "./config-engines.ts"
import {
  flag,
  hostName,
  integer,
  ipAddress,
  issuer,
  list,
  modelValue,
  nodeName,
  ollamaAddress,
  ollamaDuration,
  oneOf,
  origin,
  path,
  type Setting,
  text,
  url,
  webOrigin,
} from "./config-rules.ts"
import { allowEntry } from "./egress/allow-list.ts"

/** Where the state is when nobody names a directory. */
const DEFAULT_DATA = "./data"

/** One file may be this large: 1 GB by specification. */
const ONE_GB = 1_073_741_824

export const SETTINGS = {
  data: {
    ...path("DIR", "directory that holds all state; in it carrel.toml with settings, if you want one"),
    default: DEFAULT_DATA,
    parse(value: string, base: string) {
      if (value === "") throw new Error("must name a directory")
      return resolve(base, value)
    },
  },
  host: { ...text("ADDRESS", "127.0.0.1", "address to listen on"), parse: hostName },
  port: integer("PORT", 4747, "port to listen on", 0, 65_535),
  app_url: url("", "address under which browsers reach the console, for links; http://HOST:PORT when empty"),
  tls_cert: path("FILE", "certificate chain (PEM); with --tls-key the daemon answers https"),
  tls_key: path("FILE", "private key (PEM) of --tls-cert"),
  trusted_proxies: list(
    "ADDRESSES",
    "comma-separated IP addresses of reverse proxies whose X-Forwarded-For is believed",
    ipAddress,
  ),
  cors_origins: list(
    "ORIGINS",
    "comma-separated origins whose pages may call the API from a browser; none when empty",
    webOrigin,
  ),
  log_level: oneOf(["debug", "info", "warn", "error"], "info", "least severe log line that is written"),
  log_format: oneOf(
    ["auto", "pretty", "json"],
    "auto",
    "readable lines, or one JSON object a line; auto: readable on a terminal",
  ),
  rate_limit_per_minute: integer(
    "N",
    100,
    "requests per minute and API key, unless the key has its own limit",
    1,
    1_000_000,
  ),
  max_file_bytes: integer("BYTES", ONE_GB, "largest file that an upload may hold", 1, ONE_GB),
  max_connections_per_address: integer(
    "N",
    128,
    "connections of one address that have shown no credentials; those of this machine and of trusted proxies do not count",
    1,
    1_000_000,
  ),
  max_uploads: integer(
    "N",
    256,
    "uploads that are received at the same time; fewer where the process may open few files",
    1,
    10_000,
  ),
  max_queued_files: integer(
    "N",
    100_000,
    "files that may wait to be indexed before uploads are refused as overloaded",
    1,
    100_000_000,
  ),
  models_dir: path("DIR", "further model folders (ONNX embedding and entity models); <data>/models when empty"),
  embedding_model: text(
    "NAME",
    "",
    "embedding model of the quality tier: a folder name, ollama/NAME or openai/NAME; the built-in one when empty",
  ),
  embedding_tier: oneOf(
    ["auto", "fast", "quality"],
    "auto",
    "auto: vectors of the built-in fast model at once, better ones in the background on a half of the cores; fast: only the former; quality: the better ones on all cores but one",
  ),
  ollama_host: {
    ...url("http://127.0.0.1:11434", "address of the Ollama server", "OLLAMA_HOST"),
    parse: (value: string) => ollamaAddress(value),
  },
  disk_floor_mb: integer("MB", 256, "free space that uploads must leave free for the databases", 0, 1_048_576),
  index_workers: integer(
    "N",
    Math.max(1, Math.min(4, cpus().length)),
    "files that are read at the same time, each in a process of its own; one more where a workspace has none of them",
    1,
    64,
  ),
  ocr_languages: path("DIR", "folder of further Tesseract languages (NAME.traineddata or .gz); English is built in"),
  ocr_max_pages: integer("N", 1_000, "pages and pictures of one file that are read by OCR at most", 0, 1_000_000),
  ocr_max_seconds: integer(
    "N",
    3_600,
    "time that OCR of one file may take; the rest of its pages stay unread",
    1,
    86_400,
  ),
  reader_memory_mb: integer("MB", 1024, "memory that one reading process may take before it is ended", 128, 65_536),
  chunk_characters: integer("N", 1_000, "length that passages of a file aim at", 200, 8_000),
  chunk_overlap: integer("N", 120, "characters that neighboring passages share", 0, 2_000),
  default_model: {
    ...text(
      "MODEL",
      "",
      "model of requests that name none, such as ollama/llama3.2:3b; the first available one when empty",
    ),
    parse: modelValue,
  },
  keep_alive: {
    ...text(
      "TIME",
      "",
      "how long Ollama keeps a model loaded after use (30m, -1 for ever); its own setting when empty",
    ),
    parse: ollamaDuration,
  },
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
    "replies that one node writes at the same time before more are refused as overloaded",
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
  openai_api_key: { ...text("KEY", "", "key of the OpenAI-compatible server, if it asks for one"), shown: () => "…" },
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
  rerank: oneOf(
    ["auto", "off"],
    "auto",
    "auto: a model orders the best passages anew for replies, agents and searches that ask for it; off: it is not loaded",
  ),
  query_rewriting: oneOf(
    ["auto", "off"],
    "auto",
    "lets the chat model write the search query of a follow-up, while it is loaded; off: history terms alone",
  ),
  agent_concurrency: integer(
    "N",
    32,
    "agent runs that go on at the same time on one node; others wait their turn",
    1,
    1_000,
  ),
  agent_queue: integer(
    "N",
    256,
    "agent runs that may wait on one node before more are refused as overloaded",
    0,
    100_000,
  ),
  batch_concurrency: integer(
    "N",
    4,
    "requests of batches and schedules to models that go on at the same time on one node; those of clients go before them",
    1,
    224,
  ),
  agent_context_tokens: integer(
    "N",
    32_768,
    "largest context window that agent runs ask their model for",
    2_048,
    16_777_216,
  ),
  events_kept_days: integer("N", 30, "days for which events can be read and sent again", 1, 3_650),
  backup_dir: path("DIR", "folder in which the daemon writes backups, on request of an administrator or by schedule"),
  backup_every_hours: integer(
    "N",
    0,
    "hours after which the daemon writes a backup into --backup-dir by itself; 0 for on request alone",
    0,
    8_760,
  ),
  backup_keep: integer("N", 7, "backups that stay in --backup-dir, the newest", 1, 1_000),
  backup_retention_days: integer(
    "N",
    0,
    "days for which you keep backups, which receipts of deletions then tell; 0 where they say nothing of it",
    0,
    36_500,
  ),
  source_root: {
    ...list(
      "DIRS",
      "comma-separated folders of this machine that sources may keep in sync, with all below; none when empty",
      path => path,
    ),
    parse: (value: string, base: string) =>
      value
        .split(",")
        .map(each => each.trim())
        .filter(Boolean)
        .map(each => resolve(base, each)),
  },
  storage_low_mb: integer("MB", 2_048, "free space below which the event storage.low tells; 0 for never", 0, 1_048_576),
  mcp_config: path("FILE", "JSON file that names the Model Context Protocol servers whose tools agents may use"),
  no_graphql: flag("do not answer GraphQL: nothing is at /graphql"),
  enforce_redaction: flag("redact every conversation and agent run, whatever the request says"),
  offline: flag("refuse every outbound connection but those to the configured servers"),
  fetch_allow: list(
    "PLACES",
    "comma-separated hosts and networks (wiki.corp,10.0.0.0/8, * for all) that pages and sources may be fetched from beside public addresses; with --offline from no other",
    allowEntry,
  ),
  webhook_allow: list(
    "PLACES",
    "comma-separated hosts and networks that webhooks may be sent to beside loopback and private addresses",
    allowEntry,
  ),
  encryption_key_file: path(
    "FILE",
    "file with the key, 32 bytes raw or in hex or base64, that everything stored is encrypted with; nothing is when empty",
  ),
  oidc_issuer: {
    ...text("URL", "", "sign-in by OIDC: the provider's issuer, exactly as it writes it; needs the next two with it"),
    parse: issuer,
  },
  oidc_client_id: text("ID", "", "sign-in by OIDC: what the provider calls this Carrel"),
  oidc_client_secret_file: path("FILE", "sign-in by OIDC: file with the secret that belongs to the client id"),
  oidc_only: flag("sign-in by OIDC: members have no passwords; administrators of `carrel users` keep theirs"),
  oidc_admin_group: text(
    "GROUP",
    "",
    "sign-in by OIDC: whoever is in this group of the claim groups is an administrator, others are members; roles stay as they are when empty",
  ),
  oidc_workspace_claim: text(
    "CLAIM",
    "",
    "sign-in by OIDC: claim that names the user's workspace, which is made where there is none; the first one when empty",
  ),
  database_url: databaseUrl("several machines: the PostgreSQL database that they share; needs the next four with it"),
  blob_url: blobUrl("several machines: the S3 bucket that they share, with endpoint and region as parameters"),
  search_url: searchUrl("several machines: the OpenSearch that they share"),
  node_url: origin("several machines: address under which the other nodes reach this one"),
  cluster_secret_file: path("FILE", "several machines: file with the secret that all nodes share, 32 bytes or more"),
  role: oneOf(
    ["all", "api", "worker"],
    "all",
    "several machines: what this node does: answer requests, read files for the index, or both",
  ),
  node_name: {
    ...text("NAME", "", "several machines: name of this node in logs and in `carrel doctor`; the machine's when empty"),
    parse: nodeName,
  },
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export type Config = {
  [Name in SettingName]: (typeof SETTINGS)[Name]["default"] extends boolean
    ? boolean
    : ReturnType<(typeof SETTINGS)[Name]["parse"]>
}
