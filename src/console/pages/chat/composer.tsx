import { useEffect, useState } from "preact/hooks"
import type { Question } from "../../reply.ts"
import { Button } from "../../ui/button.tsx"
import { focusOnce } from "../../ui/form.tsx"
import { AttachButton, type Attached, AttachedPictures, useAttached } from "./pictures.tsx"

interface ComposerProps {
  writing: boolean
  /** What could not be sent comes back to be sent again. */
  returned: Question | null
  /** Why no picture can be sent. */
  blind: string | undefined
  onSend: (text: string, pictures: readonly File[]) => void
  onStop: () => void
}

/** Enter sends, Shift+Enter breaks the line; pictures are attached, pasted or dropped. */
export function Composer({ writing, returned, blind, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("")
  const attached = useAttached(blind)
  const ready = text.trim() !== "" && !writing && !(blind && attached.files.length > 0)
  useEffect(() => {
    if (!returned) return
    setText(typed => typed || returned.text)
    attached.set(returned.pictures.filter(picture => picture instanceof File))
  }, [returned])
  const send = () => {
    if (!ready) return
    onSend(text, attached.files)
    setText("")
    attached.set([])
  }
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
      onDragOver={event => event.preventDefault()}
      onDrop={event => takeFrom(event.dataTransfer, event, attached)}
    >
      <AttachedPictures {...attached} />
      {attached.problem && (
        <p class="issue" role="alert">
          {attached.problem}
        </p>
      )}
      <div class="composer-line">
        <AttachButton attached={attached} blind={blind} />
        <MessageField text={text} onInput={setText} onSend={send} attached={attached} />
        {writing ? (
          <Button icon="stop" label="Stop" onClick={onStop} />
        ) : (
          <Button kind="primary" icon="send" label="Send" type="submit" disabled={!ready} />
        )}
      </div>
    </form>
  )
}

interface MessageFieldProps {
  text: string
  onInput: (text: string) => void
  onSend: () => void
  attached: Attached
}

const MessageField = ({ text, onInput, onSend, attached }: MessageFieldProps) => (
  <>
    <label class="unseen" for="message">
      Message
    </label>
    <textarea
      id="message"
      class="input"
      dir="auto"
      rows={2}
      maxLength={100_000}
      placeholder="Ask something"
      ref={focusOnce}
      value={text}
      onInput={event => onInput(event.currentTarget.value)}
      onPaste={event => takeFrom(event.clipboardData, event, attached)}
      onKeyDown={event => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
        event.preventDefault()
        onSend()
      }}
    />
  </>
)

/** Files that are pasted or dropped; text goes its usual way, also that of a table, which comes as a picture too. */
function takeFrom(data: DataTransfer | null, event: Event, attached: Attached): void {
  if (!data || data.files.length === 0 || data.types.includes("text/plain")) return
  event.preventDefault()
  attached.add(data.files)
}
