/**
 * Ready texts for programs that call the API, applications that know OpenAI's address or Dify's knowledge bases, and
 * assistants that speak the Model Context Protocol. TOKEN stands for the token of a key.
 */

import type { Text } from "../../text.ts"

export interface Place {
  /** Of this daemon, without a path. */
  url: string
  /** Of the library. */
  model: string
}

export interface Application {
  name: string
  /** Where the text goes. */
  where: Text
  text: (place: Place) => string
}

export const APPLICATIONS: readonly Application[] = [
  {
    name: "curl",
    where: "In a shell",
    text: ({ url, model }) => `curl -s ${url}/v1/chat/completions -H 'Authorization: Bearer TOKEN' \\
  -H 'content-type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "What is in the library?"}]}'`,
  },
  {
    name: "TypeScript SDK",
    where: "After npm install PATH/sdk/typescript",
    text: ({ url }) => `import { Carrel } from "@carrel/sdk"

const carrel = new Carrel({ baseUrl: "${url}", token: "TOKEN" })
const { hits } = await carrel.search("notice period")
for await (const text of carrel.conversations.stream("What is the notice period?").text()) process.stdout.write(text)`,
  },
  {
    name: "Python SDK",
    where: "After pip install PATH/sdk/python",
    text: ({ url }) => `from carrel import Carrel

carrel = Carrel("${url}", token="TOKEN")
hits = carrel.search("notice period", limit=5)["hits"]
for text in carrel.conversations.stream("What is the notice period?").text():
    print(text, end="", flush=True)`,
  },
  {
    name: "Go SDK",
    where: "After go mod edit -replace carrel.internal/sdk=PATH/sdk/go",
    text: ({ url }) => `package main

import (
	"context"
	"fmt"
	"log"

	carrel "carrel.internal/sdk"
)

func main() {
	client, err := carrel.New(carrel.WithURL("${url}"), carrel.WithToken("TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	found, err := client.Search(context.Background(), "notice period")
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Text)
	}
}`,
  },
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
]
