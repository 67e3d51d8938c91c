/** What can be done to a conversation of the list: another title, or its end. */
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, TextField } from "../../ui/form.tsx"
import type { ConversationSummary } from "../../wire.ts"

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
    title="Delete this conversation?"
    action="Delete"
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
  const save = useAction(async () => {
    await api.patch(`/conversations/${conversation.conversation_id}`, { title })
    onSaved()
    onClose()
  })
  return (
    <Dialog title="Conversation" onClose={onClose}>
      <Form class="stack" action={save}>
        <TextField label="Title" name="title" required autofocus value={title} onInput={setTitle} error={save.error} />
        <Problem error={save.error} />
        <footer class="row between">
          <Button icon="trash" onClick={onRemove}>
            Delete
          </Button>
          <Button kind="primary" type="submit" busy={save.busy}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
