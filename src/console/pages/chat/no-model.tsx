import { Icon } from "../../ui/icons.tsx"
import type { Model } from "../../wire.ts"

/** Says so where only the built-in mode can answer, which quotes, and how a language model is connected. */
export function NoModel({ models }: { models: readonly Model[] | undefined }) {
  if (!models || models.some(({ available, provider }) => available && provider !== "builtin")) return null
  const reasons = new Set(models.flatMap(({ status_reason }) => status_reason ?? []))
  return (
    <details class="fold no-model">
      <summary>
        <Icon name="warning" />
        <span>
          No language model is connected: answers are quotes from your files. <u>Connect one</u>
        </span>
      </summary>
      <dl>
        {reasons.size > 0 && (
          <div>
            <dt>Why the known ones do not answer</dt>
            {[...reasons].map(reason => (
              <dd key={reason}>{reason}</dd>
            ))}
          </div>
        )}
        <div>
          <dt>Ollama on this machine</dt>
          <dd>
            Start it and fetch a model, such as <code>ollama pull llama3.2:3b</code>. Its models appear here within
            seconds.
          </dd>
        </div>
        <div>
          <dt>Ollama elsewhere</dt>
          <dd>
            Start Carrel with <code>--ollama-host http://HOST:11434</code>.
          </dd>
        </div>
        <div>
          <dt>Another server that speaks OpenAI's protocol: llama.cpp, vLLM, LM Studio</dt>
          <dd>
            Start Carrel with <code>--openai-base-url http://HOST:PORT/v1</code>, and with <code>--openai-api-key</code>{" "}
            where it asks for one.
          </dd>
        </div>
      </dl>
    </details>
  )
}
