/**
 * Ready texts for applications that know OpenAI's address or Dify's knowledge bases, and for assistants that speak the Model
 * Context Protocol: choose one, paste, put a key in.
 */
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import { CopyButton } from "../../ui/button.tsx"
import { Select } from "../../ui/form.tsx"
import type { Model } from "../../wire.ts"

interface Place {
  /** Of this daemon, without a path. */
  url: string
  /** Of the library. */
  model: string
}

interface Application {
  name: string
  /** Where the text goes. */
  where: string
  text: (place: Place) => string
}

const APPLICATIONS: readonly Application[] = [
  {
    name: "Open WebUI",
    where: "In its environment, or under Admin panel → Settings → Connections → OpenAI API",
    text: ({ url }) => `OPENAI_API_BASE_URL=${url}/v1\nOPENAI_API_KEY=TOKEN`,
  },
  {
    name: "LibreChat",
    where: "In librechat.yaml",
    text: ({ url, model }) => `version: 1.2.1
endpoints:
  custom:
    - name: Carrel
      apiKey: TOKEN
      baseURL: ${url}/v1
      models:
        default: ["${model}"]
        fetch: true
      titleConvo: true
      titleModel: current_model
      modelDisplayLabel: Carrel`,
  },
  {
    name: "Continue",
    where: "In config.yaml",
    text: ({ url, model }) => `name: Carrel
version: 1.0.0
schema: v1
models:
  - name: Library
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: TOKEN
    roles: [chat, edit]`,
  },
  {
    name: "Dify",
    where: "Under Knowledge → External Knowledge API; the knowledge ID is a context, or * for all files",
    text: ({ url }) => `API Endpoint: ${url}\nAPI Key: TOKEN\nExternal Knowledge ID: *`,
  },
  {
    name: "Claude Code",
    where: "In a shell",
    text: ({ url }) => `claude mcp add --transport http carrel ${url}/mcp --header "Authorization: Bearer TOKEN"`,
  },
  {
    name: "Claude Desktop",
    where: "In claude_desktop_config.json; the command is where Carrel is installed on that machine",
    text: ({ url }) => `{
  "mcpServers": {
    "carrel": {
      "command": "/usr/local/bin/carrel",
      "args": ["mcp", "--url", "${url}"],
      "env": { "CARREL_TOKEN": "TOKEN" }
    }
  }
}`,
  },
  {
    name: "Cursor",
    where: "In ~/.cursor/mcp.json, or .cursor/mcp.json of a project",
    text: ({ url }) => `{
  "mcpServers": {
    "carrel": {
      "url": "${url}/mcp",
      "headers": { "Authorization": "Bearer TOKEN" }
    }
  }
}`,
  },
  {
    name: "LangChain",
    where: "In Python",
    text: ({ url, model }) => `from langchain_openai import ChatOpenAI

chat = ChatOpenAI(model="${model}", base_url="${url}/v1", api_key="TOKEN")`,
  },
  {
    name: "AI SDK",
    where: "In TypeScript",
    text: ({ url, model }) => `import { createOpenAICompatible } from "@ai-sdk/openai-compatible"

const carrel = createOpenAICompatible({ name: "carrel", baseURL: "${url}/v1", apiKey: "TOKEN" })
const model = carrel("${model}")`,
  },
  {
    name: "curl",
    where: "In a shell",
    text: ({ url, model }) => `curl -s ${url}/v1/chat/completions -H 'Authorization: Bearer TOKEN' \\
  -H 'content-type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "What is in the library?"}]}'`,
  },
]

export function Connect() {
  const [name, setName] = useState(APPLICATIONS[0]!.name)
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  const value = models.data?.find(model => model.default)?.value ?? "builtin/extractive"
  const application = APPLICATIONS.find(each => each.name === name)!
  const text = application.text({ url: location.origin, model: `library/${value}` })
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>Connect an application</h2>
          <p class="soft">Put the token of a key where TOKEN stands. It is shown when the key is generated.</p>
        </div>
        <Select
          label="Application"
          compact
          value={name}
          onChange={setName}
          options={APPLICATIONS.map(each => [each.name, each.name] as const)}
        />
      </div>
      <div class="snippet">
        <div class="section-head">
          <h3>{application.where}</h3>
          <CopyButton text={text} label={`Copy the settings for ${name}`} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </div>
    </section>
  )
}
