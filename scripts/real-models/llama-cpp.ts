/** The OpenAI-compatible server of `llama-cpp-python`, built from source for the processor, with the same weights. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Engine, freePorts } from "../cluster/engine.ts"
import { fetched } from "../cluster/packages.ts"
import { runTool } from "../cluster/tools.ts"
import { lacksForBuild } from "./machine.ts"
import type { ModelUrls } from "./urls.ts"
import { weightsFile } from "./weights.ts"

/** Names on the server: for chats, for chats with tools, for embeddings. It loads the one that is asked for, and drops the others. */
export const LLAMA_CPP_MODELS = { chat: "smollm2", tools: "smollm2-tools", embedding: "smollm2-embed" } as const

/** The window that every one of them is loaded with; the server does not tell it. */
export const LLAMA_CPP_WINDOW = 2_048

/** What the server needs of the registry beside itself. */
const REQUIREMENTS = [
  "annotated-doc==0.0.7",
  "annotated-types==0.8.0",
  "anyio==4.16.0",
  "click==8.5.1",
  "diskcache==5.6.3",
  "fastapi==0.165.0",
  "h11==0.16.0",
  "idna==3.20",
  "Jinja2==3.1.6",
  "MarkupSafe==3.0.4",
  "numpy==2.4.6",
  "opentelemetry-api==1.45.2",
  "pydantic==2.14.3",
  "pydantic-core==2.50.4",
  "pydantic-settings==2.16.3",
  "python-dotenv==1.2.4",
  "PyYAML==6.0.3",
  "sse-starlette==3.7.0",
  "starlette==1.10.0",
  "starlette-context==0.3.6",
  "typing-extensions==4.16.0",
  "typing-inspection==0.4.5",
  "uvicorn==0.54.0",
]

/** Only what the Python package takes, on the processor. */
const CMAKE = {
  ...{ LLAMA_BUILD_TESTS: "OFF", LLAMA_BUILD_EXAMPLES: "OFF", LLAMA_BUILD_TOOLS: "OFF", LLAMA_BUILD_SERVER: "OFF" },
  ...{ LLAVA_BUILD: "OFF", GGML_NATIVE: "OFF" },
  ...{ GGML_AVX2: "ON", GGML_FMA: "ON", GGML_F16C: "ON", GGML_BMI2: "ON" },
}

export const llamaCpp: Engine<ModelUrls> = {
  package: "llama-cpp-python-0.3.36",
  lacks: lacksForBuild,

  async unpack(archives, target) {
    const [sources] = [...new Bun.Glob("*.tar.gz").scanSync(archives)]
    await runTool(["tar", "-xzf", join(archives, sources!), "-C", archives])
    const project = join(archives, sources!.replace(/\.tar\.gz$/, ""))
    // Half of what is compiled is a library that only programs of llama.cpp use, and no setting leaves it out.
    await runTool(["sed", "-i", "s/LLAMA_BUILD_COMMON ON/LLAMA_BUILD_COMMON OFF/", join(project, "CMakeLists.txt")])
    const flags = Object.entries(CMAKE).map(([name, value]) => `-D${name}=${value}`)
    const pip = ["python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    await fetched(runTool([...pip, "--only-binary=:all:", "--target", target, ...REQUIREMENTS]))
    await runTool(["env", `CMAKE_ARGS=${flags.join(" ")}`, ...pip, "--target", target, project])
  },

  async start({ home, folder, host, launch, until }) {
    const [port] = (await freePorts(1)) as [number]
    const shared = {
      model: weightsFile(),
      n_ctx: LLAMA_CPP_WINDOW,
      n_threads: -1,
      n_threads_batch: -1,
      use_mlock: false,
    }
    const models = [
      { ...shared, model_alias: LLAMA_CPP_MODELS.chat, chat_format: "chatml" },
      { ...shared, model_alias: LLAMA_CPP_MODELS.tools, chat_format: "chatml-function-calling" },
      {
        ...shared,
        model_alias: LLAMA_CPP_MODELS.embedding,
        embedding: true,
        kv_overrides: ["llama.pooling_type=int:1"],
      },
    ]
    const config = join(folder, "config.json")
    // By default a new request breaks off the one that is being answered.
    writeFileSync(config, JSON.stringify({ host, port, interrupt_requests: false, models }))
    launch({
      name: "llama-cpp",
      command: ["python3", "-m", "llama_cpp.server", "--config_file", config],
      log: join(folder, "log"),
      env: { HOME: folder, PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: "1" },
      asSelf: true,
    })
    const url = `http://${host}:${port}/v1`
    await until("the server of llama.cpp", () => fetch(`${url}/models`))
    return { openai_base_url: url }
  },
}
