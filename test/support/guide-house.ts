/**
 * What the commands of the guides are typed into: a folder with the files that they name, a daemon with things in it, and
 * servers for those that stand elsewhere.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { smallPdf } from "../binary/small-pdf.ts"
import { helvetica, lines, PdfWriter, writePages } from "../ingest/formats/pdf-writer.ts"
import { COMMAND, type Daemon, startDaemon } from "./daemon.ts"
import { examplesIn } from "./documentation.ts"
import { GitServer } from "./git-server.ts"
import { StandIn as Storage } from "./object-storage.ts"
import { writeOcrPack } from "./ocr-pack.ts"
import { EMBEDDER, LLAMA, type OllamaStandIn, startOllama } from "./ollama.ts"
import { startReceiver } from "./receiver.ts"
import { until } from "./until.ts"
import { html, startWebSite } from "./web-site.ts"
import { WebdavStandIn } from "./webdav-stand-in.ts"

/** What a page says, and what is typed in its place. */
export type Replacements = Record<string, string>

export class GuideHouse {
  readonly folder = mkdtempSync(join(tmpdir(), "carrel-guides-"))
  /** In every page, and by page. */
  everywhere: Replacements = {}
  byPage: Record<string, Replacements> = {}
  /** Of the shell. */
  environment: Record<string, string> = {}
  /** Ids of what can be read. */
  has!: { conversation: string; receipt: string }
  daemon!: Daemon
  private storage!: Storage
  private ollama!: OllamaStandIn
  private readonly site = startWebSite({
    "/handbook": "<h1>Handbook</h1><p>Rental cars are kept for a week.</p>",
    "/docs/": () => html("<h1>Docs</h1><p>Rental cars are given back on Sundays.</p>"),
  })
  private readonly receiver = startReceiver()
  private readonly git = new GitServer()
  private readonly dav = new WebdavStandIn()

  static async open(): Promise<GuideHouse> {
    const house = new GuideHouse()
    await house.furnish().catch(async error => {
      await house.close()
      throw error
    })
    return house
  }

  at(...path: string[]): string {
    return join(this.folder, ...path)
  }

  async close(): Promise<void> {
    await this.daemon?.remove()
    this.ollama?.server.stop()
    this.receiver.stop()
    await Promise.all([this.site.stop(), this.git.close(), this.dav[Symbol.asyncDispose]()])
    await this.storage?.[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async furnish(): Promise<void> {
    const models = [LLAMA, LLAVA, { ...EMBEDDER, name: "bge-m3:latest" }]
    ;[this.storage, this.ollama] = await Promise.all([Storage.start(), startOllama(models)])
    this.ollama.server.scenes.add("none", { text: "Eleven weeks [1]." })
    this.storage.objects.set("signed/lease.txt", stored("The lease of the pier."))
    this.storage.objects.set("2026/lease.txt", stored("The lease of the jetty."))
    this.dav.files.set("lease.txt", "The lease of the kiosk.")
    this.git.make("handbook.git").commit({ "docs/cars.md": "# Cars\n\nA rental car is kept for a week." })
    this.writeFiles()
    this.writeCommands()
    const flags = ["--source-root", this.at("srv"), "--fetch-allow", "127.0.0.1"]
    this.daemon = await startDaemon([...flags, "--ollama-host", this.ollama.server.url])
    const { out } = await this.daemon.run("keys", "create", "--name", "guides", "--json")
    const { client_id, private_key, secret, token } = JSON.parse(out)
    writeFileSync(this.at("key.txt"), `client-id: ${client_id}\nprivate-key: ${private_key}\nsecret: ${secret}\n`)
    this.environment = {
      ...{ PATH: `${this.at("bin")}:${Bun.env.PATH}`, HOME: this.folder, HOUSE: this.folder },
      ...{ CARREL_DATA: this.daemon.data, CARREL_OLLAMA_HOST: this.ollama.server.url, CARREL_STORAGE_LOW_MB: "0" },
      ...{ CARREL_EMBEDDING_TIER: "fast", CARREL_RERANK: "off" },
      ...{ AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" },
      ...{ CARREL: `${this.daemon.url}/external-docs`, TOKEN: token },
    }
    this.everywhere = {
      "http://127.0.0.1:4747": this.daemon.url,
      "http://carrel.internal:4747": this.daemon.url,
      "https://carrel.example\n": `${this.daemon.url}\n`,
      "CARREL_TOKEN=…": `CARREL_TOKEN=${token}`,
      "KEY=…": `KEY=${token}`,
      "/srv/": `${this.at("srv")}/`,
      "/etc/carrel/": `${this.at("etc")}/`,
      "https://example.org/": `${this.site.url}/`,
    }
    await this.furnishPages()
  }

  private async furnishPages(): Promise<void> {
    const [report, lease, gone] = await Promise.all([
      this.uploaded("report.pdf"),
      this.uploaded("lease.md"),
      this.daemon.index("gone.txt", "To be deleted."),
      this.uploaded("handbook.md", { context_id: "intranet" }),
      this.uploaded("salaries.md", { context_id: "intranet", acl: '["group:hr"]' }),
      ...["travel-policy.pdf", "procurement.pdf", "signatures.docx"].map(name => this.uploaded(name)),
    ])
    const asked = await this.made("/start-conversation", { message: "What does the lease of the boathouse say?" })
    const config = { path: this.at("srv/contracts") }
    const shown = { type: "folder", name: "Shown", config, schedule: "1d" }
    const source = (await this.made("/sources", shown)).id
    await until(async () => (await this.daemon.call("GET", `/sources/${source}/coverage`)).total > 0)
    const webhook = await this.made("/webhooks", { url: this.receiver.url })
    this.receiver.secret = webhook.secret
    const ada = await this.userCalled("ada@example.org")
    await this.prepareRekey()
    await writeOcrPack(this.at("ocr.pack"), ["fra"])
    const receipt = await this.receipt()
    this.environment.ID = source
    this.has = { conversation: asked.conversation_id, receipt }
    this.byPage = {
      "README.md": {
        "npm run --silent carrel --": "carrel",
        "libraries/FILE/": `libraries/${report}/`,
        "src_…": source,
      },
      "docs/answers.md": { "conv_…/messages/msg_…": `${asked.conversation_id}/messages/${asked.messages[1].id}` },
      "docs/batches.md": { "batch_01m7…": await this.batch() },
      "docs/encryption.md": {
        "rekey --encryption-key-file OLD": `rekey --data ${this.at("sealed")} --encryption-key-file OLD`,
        "rekey --new-encryption": `rekey --data ${this.at("clear")} --new-encryption`,
      },
      "docs/events.md": {
        "http://127.0.0.1:8080/carrel": this.receiver.url,
        "whk_…": webhook.id,
      },
      "docs/links.md": { '"FILE"': `"${lease}"` },
      "docs/packs.md": {
        "add FILE": `add ${this.at("ocr.pack")}`,
        "verify FILE": `verify ${this.at("ocr.pack")}`,
        "carrel-ocr-all": "test-fra",
      },
      "docs/pages.md": { "file_…": report },
      "docs/receipts.md": { "libraries/FILE": `libraries/${gone.id}`, "rcpt_…": receipt },
      "docs/sharing.md": { $ID: asked.conversation_id, user_01m7y48vkz3s85f1acdta2: ada },
      "docs/sources.md": {
        "https://cloud.example/remote.php/dav/files/ann/Documents/": this.dav.url,
        "https://s3.eu-central-1.amazonaws.com": this.storage.endpoint,
        "https://s3.example": this.storage.endpoint,
        "https://github.com/example/handbook.git": this.git.url("handbook.git"),
        "git+https://ann@git.example/": `git+http://ann@127.0.0.1:${this.git.port}/`,
        "~/.git-token": this.at("git-token"),
      },
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every route
  private made(path: string, body: unknown): Promise<any> {
    return this.daemon.call("POST", path, body)
  }

  /** @returns the id of the file, once it is searchable */
  private async uploaded(name: string, fields: Record<string, string> = {}): Promise<string> {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append("files", Bun.file(this.at(name)), name)
    const { id } = (await this.made("/upload", form)).files[0]
    await until(async () => (await this.daemon.call("GET", `/libraries/${id}`)).status === "searchable")
    return id
  }

  /** One that is completed. */
  private async batch(): Promise<string> {
    const request = { custom_id: "1", method: "POST", url: "/external/search", body: { query: "lease" } }
    const { id } = await this.made("/batches", { requests: [request] })
    await until(async () => (await this.daemon.call("GET", `/batches/${id}`)).status === "completed")
    return id
  }

  /** Of a conversation, whose receipt comes soonest. */
  private async receipt(): Promise<string> {
    const { conversation_id } = await this.made("/start-conversation", { message: "Hello" })
    const headers = this.daemon.credentials
    const ask = (method: string, path: string) => fetch(`${this.daemon.url}/external${path}`, { method, headers })
    const id = (await ask("DELETE", `/conversations/${conversation_id}`)).headers.get("x-receipt-id")!
    await until(async () => (await ask("GET", `/receipts/${id}`)).ok, { within: 30_000 })
    return id
  }

  private async userCalled(email: string): Promise<string> {
    const argv = [...COMMAND, "users", "add", "--email", email, "--data", this.daemon.data]
    await Bun.spawn(argv, { stdin: new Blob(["correct horse battery\n"]), stdout: "ignore", stderr: "inherit" }).exited
    const [user] = JSON.parse((await this.daemon.run("users", "list", "--json")).out)
    return user.id
  }

  /** A data directory that is encrypted, and one that is not. */
  private async prepareRekey(): Promise<void> {
    for (const name of ["OLD", "NEW"]) writeFileSync(this.at(name), Buffer.alloc(32, name), { mode: 0o600 })
    const make = (name: string, ...flags: string[]) =>
      Bun.spawn([...COMMAND, "keys", "create", "--name", "first", "--data", this.at(name), ...flags], {
        ...{ stdout: "ignore", stderr: "inherit" },
      }).exited
    const codes = await Promise.all([make("clear"), make("sealed", "--encryption-key-file", this.at("OLD"))])
    if (codes.some(code => code !== 0)) throw new Error("a data directory could not be made")
  }

  private writeFiles(): void {
    const folders = ["bin", "requests", "answers", "shown", "etc", "handbook", "srv/contracts"]
    const completions = [".local/share/bash-completion/completions", ".config/fish/completions", ".zfunc"]
    for (const name of [...folders, ...completions, ".local/share/man/man1"])
      mkdirSync(this.at(name), { recursive: true })
    const search = { custom_id: "1", method: "POST", url: "/external/search", body: { query: "lease" } }
    const files: Record<string, string | Uint8Array> = {
      "report.pdf": report(),
      "lease.md": `# Lease\n\n${"The lease of the boathouse may be ended with a notice of 90 days. ".repeat(30)}`,
      "handbook.md": "# Handbook\n\nThe handbook says that salaries are paid on the last day of the month.",
      "salaries.md": "# Salaries\n\nThe salary of the harbour master is 5 000 a month.",
      "17.md": "# Ticket 17\n\nThe pump is loud.",
      "18.md": "# Ticket 18\n\nThe lamp is dark.",
      "handbook/cars.md": "# Cars\n\nA rental car is kept for a week.",
      "srv/contracts/ferry.txt": "The contract of the ferry.",
      "requests.jsonl": `${JSON.stringify(search)}\n`,
      "travel-policy.pdf": smallPdf(["You may keep a rental car for a week."]),
      "procurement.pdf": smallPdf(["Contracts over 50 000 are signed by both directors."]),
      "questions.jsonl": examplesIn("docs/evaluation.md").find(({ language }) => language === "json")!.text,
      "git-token": "token",
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(this.at(name), text, { mode: 0o600 })
    copyFileSync(join(import.meta.dir, "../fixtures/documents/lease.docx"), this.at("signatures.docx"))
  }

  /** `carrel` as it would be installed, and a `curl` that notes what it asked and was answered. */
  private writeCommands(): void {
    const programs = {
      curl: `
        name=$(printf %03d "$(ls "$HOUSE/requests" | wc -l)"); limit=60
        case " $* " in *"accept: text/event-stream"*) limit=2;; esac # a feed without an end
        ${Bun.which("curl")} --max-time $limit --write-out '%{stderr}%{json}' "$@" 2>"$HOUSE/requests/$name" | tee "$HOUSE/answers/$name"
        code=\${PIPESTATUS[0]}
        [ $limit = 2 ] && [ $code = 28 ] && code=0
        exit $code`,
      carrel: `
        carrel() { ${COMMAND.map(word => `'${word}'`).join(" ")} "$@"; }
        case " $* " in
          " serve "*)
            data=$(mktemp -d "$HOUSE/served-XXXXXX")
            ${COMMAND.map(word => `'${word}'`).join(" ")} "$@" --data "$data" --port 0 >/dev/null & pid=$!
            until [ -e "$data/daemon.json" ]; do kill -0 $pid || exit 1; sleep .1; done
            kill -TERM $pid; wait $pid;;
          *" --check "*) # until all of it can be found
            for try in {1..50}; do code=0; carrel "$@" || code=$?; [ $code = 3 ] || exit $code; sleep .2; done; exit 3;;
          *) carrel "$@";;
        esac`,
    }
    for (const [name, program] of Object.entries(programs)) {
      writeFileSync(this.at("bin", name), `#!/usr/bin/env bash${program}\n`)
      chmodSync(this.at("bin", name), 0o755)
    }
  }
}

const LLAVA = { ...LLAMA, name: "llava:7b", digest: "4615aee24484", capabilities: ["completion", "vision"] }

const stored = (text: string) => ({ bytes: Buffer.from(text), etag: '"1"', at: new Date() })

/** Of four pages; the fourth has the characters from 8 000 on. */
function report(): Uint8Array {
  const line = (page: number, at: number) =>
    `Page ${page}, line ${at}: the notice period of the report is eleven weeks.`.padEnd(67, ".")
  const pages = [1, 2, 3, 4].map(page => Array.from({ length: 39 }, (_, at) => line(page, at)))
  const writer = new PdfWriter()
  return writePages(
    writer,
    pages.map(each => ({ content: lines(each) })),
    { resources: `/Font<</F ${helvetica(writer)} 0 R>>` },
  )
}
