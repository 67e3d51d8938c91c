/** What a new installation needs, each step with a check once it is done; gone when all are. */

import { STEPS, useFirstSteps } from "../../first-steps.ts"
import { count } from "../../format.ts"
import { Ways } from "../../no-model.tsx"
import { Link } from "../../router.tsx"
import { type Text, t } from "../../text.ts"
import { Icon, type IconName } from "../../ui/icons.tsx"

interface Step {
  to: string
  icon: IconName
  title: Text
  text: Text
}

const SHOWN: Record<(typeof STEPS)[number], Step> = {
  model: {
    to: "/chat",
    icon: "agents",
    title: "Connect a language model",
    text: "Without one, answers are quotes from your files.",
  },
  file: {
    to: "/library",
    icon: "upload",
    title: "Fill the library",
    text: "Drop in documents, spreadsheets, images or archives.",
  },
  answer: { to: "/chat", icon: "chat", title: "Ask it", text: "Answers cite the passages they are based on." },
  key: {
    to: "/settings/api",
    icon: "key",
    title: "Connect an application",
    text: "With a key of its own: curl, SDKs, OpenAI clients, assistants.",
  },
}

export function FirstSteps() {
  const { data } = useFirstSteps()
  if (!data || STEPS.every(step => data[step])) return null
  const done = STEPS.filter(step => data[step]).length
  return (
    <section class="stack" aria-label={t("First steps")}>
      <h2>
        {t("First steps")}{" "}
        <span class="soft small">{t("{done} of {total} done", { done: count(done), total: count(STEPS.length) })}</span>
      </h2>
      {!data.model && (
        <div class="notice">
          <Icon name="warning" />
          <div class="grow">
            <p>{t("No language model is connected: answers are quotes from your files.")}</p>
            <details class="fold no-model" open={!data.file}>
              <summary>{t("How to connect one")}</summary>
              <Ways ollama={data.ollama} reasons={[]} />
            </details>
          </div>
        </div>
      )}
      <ol class="first-steps">
        {STEPS.map(step => (
          <li key={step}>
            <StepCard {...SHOWN[step]} done={data[step]} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const StepCard = ({ to, icon, title, text, done }: Step & { done: boolean }) => (
  <Link to={to} class={done ? "card done" : "card"}>
    <Icon name={done ? "check" : icon} />
    <strong>
      {t(title)}
      {done && <span class="unseen"> {t("(done)")}</span>}
    </strong>
    <span class="soft">{t(text)}</span>
  </Link>
)
