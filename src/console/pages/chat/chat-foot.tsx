import { NoModel } from "../../no-model.tsx"
import { useAccount } from "../../session.ts"
import { useEscape } from "../../shortcuts.ts"
import { Composer } from "./composer.tsx"
import { useDocuments } from "./documents.tsx"
import type { ChatSettings } from "./settings.ts"
import { modelFor, SettingsBar, useModels } from "./settings-bar.tsx"
import { blindnessOf } from "./sight.ts"
import type { Turns } from "./use-turns.ts"

interface ChatFootProps {
  conversationId: string | undefined
  settings: ChatSettings
  onChange: (change: Partial<ChatSettings>) => void
  /** The open conversation's model. */
  present: string | undefined
  /** Of the one file that the conversation is about. */
  fileName: string | undefined
  turns: Turns
}

/** Where the next message is written, and what it is answered with. */
export function ChatFoot({ conversationId, settings, onChange, present, fileName, turns }: ChatFootProps) {
  const models = useModels()
  const documents = useDocuments(conversationId, settings, onChange)
  useEscape(turns.writing ? turns.stop : undefined)
  const insists = useAccount().redaction?.enforced_by
  const model = modelFor(settings, { models: models.data, present })
  const blind = blindnessOf(model, models.data, settings.redaction || Boolean(insists))
  return (
    <div class="composer-frame">
      <NoModel models={models.data} />
      <SettingsBar settings={settings} models={models.data} onChange={onChange} present={present} fileName={fileName} />
      <Composer
        conversationId={conversationId}
        writing={turns.writing}
        returned={turns.returned}
        blind={blind}
        documents={documents}
        onSend={turns.send}
        onStop={turns.stop}
      />
    </div>
  )
}
