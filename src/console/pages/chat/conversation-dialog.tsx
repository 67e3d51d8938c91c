/** What can be done to a conversation of the list: another title, folder or place, or its end. */
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Field, Form, Problem, Switch, TextField } from "../../ui/form.tsx"
import type { ConversationSummary } from "../../wire.ts"
import { useFolders } from "./folders.ts"

interface ConversationDialogProps {
  conversation: ConversationSummary
  onClose: () => void
  onSaved: () => void
  onRemoved: () => void
}

export function ConversationDialog({ onRemoved, ...props }: ConversationDialogProps) {
  const [removing, setRemoving] = useState(false)
  return removing ? (
    <Removal {...props} onRemoved={onRemoved} />
  ) : (
    <Change {...props} onRemove={() => setRemoving(true)} />
  )
}

const Removal = ({ conversation, onClose, onRemoved }: Omit<ConversationDialogProps, "onSaved">) => (
  <Confirm
    title={t("Delete this conversation?")}
    action={t("Delete")}
    onClose={onClose}
    onConfirm={async () => {
      await api.delete(`/conversations/${conversation.conversation_id}`)
      onRemoved()
    }}
  >
    <p dir="auto">{conversation.title}</p>
  </Confirm>
)

interface ChangeProps extends Omit<ConversationDialogProps, "onRemoved"> {
  onRemove: () => void
}

function Change({ conversation, onClose, onSaved, onRemove }: ChangeProps) {
  const [title, setTitle] = useState(conversation.title ?? "")
  const [folder, setFolder] = useState(conversation.folder ?? "")
  const [pinned, setPinned] = useState(conversation.pinned)
  const folders = useFolders()
  const save = useAction(async () => {
    await api.patch(`/conversations/${conversation.conversation_id}`, { title, folder, pinned })
    onSaved()
    onClose()
  })
  return (
    <Dialog title={t("Conversation")} onClose={onClose}>
      <Form class="stack" action={save}>
        <TextField
          label={t("Title")}
          name="title"
          required
          autofocus
          value={title}
          onInput={setTitle}
          error={save.error}
        />
        <Field label={t("Folder")} name="folder" error={save.error}>
          {attributes => (
            <input
              {...attributes}
              class="input"
              dir="auto"
              list="folders"
              maxLength={100}
              placeholder={t("None")}
              value={folder}
              onInput={event => setFolder(event.currentTarget.value)}
            />
          )}
        </Field>
        <datalist id="folders">
          {folders.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Switch label={t("Pin to the top of the list")} checked={pinned} onChange={setPinned} />
        <Problem error={save.error} />
        <footer class="row between">
          <Button icon="trash" onClick={onRemove}>
            {t("Delete")}
          </Button>
          <Button kind="primary" type="submit" busy={save.busy}>
            {t("Save")}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
