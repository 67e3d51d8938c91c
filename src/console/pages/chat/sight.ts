import { t } from "../../text.ts"
import type { Model } from "../../wire.ts"

/** Servers that speak OpenAI's protocol do not tell what their models can do: the daemon sends them pictures all the same. */
const mightSee = ({ capabilities, provider }: Model): boolean =>
  capabilities.includes("vision") || provider === "openai"

/** Why no picture can be sent to the model; undefined where it can, or where nobody knows yet. */
export function blindnessOf(
  model: Model | undefined,
  models: readonly Model[] | undefined,
  redacted: boolean,
): string | undefined {
  if (redacted) return t("What a picture shows cannot be redacted, so none can be sent while redaction is on.")
  if (!model || mightSee(model)) return undefined
  const other = models?.find(each => each.available && each.capabilities.includes("vision"))
  return other
    ? t("{model} cannot see pictures. {other} can.", { model: model.label, other: other.label })
    : t("{model} cannot see pictures. None of the models here can.", { model: model.label })
}

/** As requests hold it. @throws Error where the file has gone since */
export const imageOf = async (file: File): Promise<{ mime_type: string; data: string }> => ({
  mime_type: file.type,
  data: await base64Of(file),
})

function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "")
  reader.onerror = () => reject(new Error(t("{name} cannot be read any more.", { name: file.name })))
  reader.readAsDataURL(file)
  return promise
}
