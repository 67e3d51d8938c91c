import { useEffect, useState } from "preact/hooks"
import { Button } from "../../ui/button.tsx"
import { focusOnce } from "../../ui/form.tsx"

interface ComposerProps {
  writing: boolean
  /** A text that could not be sent comes back to be sent again. */
  returned: string
  onSend: (text: string) => void
  onStop: () => void
}

/** Enter sends, Shift+Enter breaks the line. */
export function Composer({ writing, returned, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("")
  useEffect(() => setText(typed => typed || returned), [returned])
  const send = () => {
    if (!text.trim() || writing) return
    onSend(text)
    setText("")
  }
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
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
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {writing ? (
        <Button icon="stop" label="Stop" onClick={onStop} />
      ) : (
        <Button kind="primary" icon="send" label="Send" type="submit" disabled={!text.trim()} />
      )}
    </form>
  )
}
