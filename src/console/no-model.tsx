/** Says so where only the built-in mode can answer, which quotes, and how a language model is connected. */

import type { ComponentChildren } from "preact"
import { useFirstSteps } from "./first-steps.ts"
import { rich, t } from "./text.ts"
import { CopyButton } from "./ui/button.tsx"
import { Icon } from "./ui/icons.tsx"
import type { FoundOllama, Model } from "./wire.ts"

const MODEL = "llama3.2:3b"

export function NoModel({ models }: { models: readonly Model[] | undefined }) {
  if (!models || models.some(({ available, provider }) => available && provider !== "builtin")) return null
  return <Unconnected models={models} />
}

function Unconnected({ models }: { models: readonly Model[] }) {
  const { data } = useFirstSteps()
  if (data?.model) return null
  const reasons = [...new Set(models.flatMap(({ status_reason }) => status_reason ?? []))]
  return (
    <details class="fold no-model">
      <summary>
        <Icon name="warning" />
        <span>
          {rich("No language model is connected: answers are quotes from your files. <u>Connect one</u>", {
            u: words => <u>{words}</u>,
          })}
        </span>
      </summary>
      <Ways ollama={data?.ollama} reasons={reasons} />
    </details>
  )
}

interface WaysProps {
  ollama: FoundOllama | undefined
  /** Why models that are known do not answer. */
  reasons: readonly string[]
}

export const Ways = ({ ollama, reasons }: WaysProps) => (
  <dl class="ways">
    {reasons.length > 0 && (
      <div>
        <dt>{t("Why the known ones do not answer")}</dt>
        {reasons.map(reason => (
          <dd key={reason}>{reason}</dd>
        ))}
      </div>
    )}
    <div>
      <dt>{t("Ollama on this machine")}</dt>
      {ollama && <OllamaHere {...ollama} />}
    </div>
    <div>
      <dt>{t("Ollama elsewhere")}</dt>
      <dd>{rich("Start Carrel with <code/>.", { code: <code>--ollama-host http://HOST:11434</code> })}</dd>
    </div>
    <div>
      <dt>{t("Another server that speaks OpenAI's protocol: llama.cpp, vLLM, LM Studio")}</dt>
      <dd>
        {rich("Start Carrel with <code/>, and with <code2/> where it asks for one.", {
          code: <code>--openai-base-url http://HOST:PORT/v1</code>,
          code2: <code>--openai-api-key</code>,
        })}
      </dd>
    </div>
  </dl>
)

function OllamaHere({ address, configured, state }: FoundOllama) {
  const option = `--ollama-host ${address}`
  if (state === "absent")
    return (
      <>
        <dd>
          {address
            ? t("Nothing answers at {address}.", { address })
            : t("Carrel is offline and was told of another one.")}{" "}
          {t("Install Ollama, then paste these two lines into a terminal:")}
        </dd>
        <Commands lines={["ollama serve", `ollama pull ${MODEL}`]} />
        {!configured && <Told>{`--ollama-host ${address ?? "http://127.0.0.1:11434"}`}</Told>}
      </>
    )
  return (
    <>
      <dd>
        {state === "empty"
          ? t("It runs at {address} and has no model yet. Fetch one:", { address })
          : t("It runs at {address}.", { address })}
      </dd>
      {state === "empty" && <Commands lines={[`ollama pull ${MODEL}`]} />}
      {configured ? <dd>{t("Its models appear here by themselves.")}</dd> : <Told>{option}</Told>}
    </>
  )
}

const Told = ({ children }: { children: ComponentChildren }) => (
  <dd>{rich("Carrel looks elsewhere: start it with <code/>.", { code: <code>{children}</code> })}</dd>
)

const Commands = ({ lines }: { lines: readonly string[] }) => (
  <>
    {lines.map(line => (
      <dd key={line} class="command">
        <code>{line}</code>
        <CopyButton text={line} label={t("Copy {line}", { line })} />
      </dd>
    ))}
  </>
)
