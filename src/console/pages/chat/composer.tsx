import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Lazy } from "../../lazy.tsx"
import type { Question } from "../../reply.ts"
import { useAccount } from "../../session.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { focusOnce } from "../../ui/form.tsx"
import { AttachFiles, DocumentList, type Documents } from "./documents.tsx"
import { useDroppedFiles } from "./dropping.ts"
import { AttachButton, type Attached, AttachedPictures, isPicture, useAttached } from "./pictures.tsx"
import { keepUnsent, type Unsent, unsentIn } from "./unsent.ts"

const loadPrompts = async () => (await import("./prompts.tsx")).Prompts

/** What is looked for among the prompts that the reader keeps: the message ends on a name. Behind words, a slash alone is none. */
const NAMED = /(?:^\/(\S*)|(?<=\s)\/(\S+))$/

/** Stop takes the place of Send under the pointer: so soon, a click there belongs to the one that sent. */
const DOUBLE_CLICK_MS = 500

interface ComposerProps {
  conversationId: string | undefined
  writing: boolean
  /** What could not be sent comes back to be sent again. */
  returned: Question | null
  /** Why no picture can be sent. */
  blind: string | undefined
  documents: Documents
  onSend: (text: string, pictures: readonly File[]) => void
  onStop: () => void
}

/** Enter sends, Shift+Enter breaks the line; files and pictures are attached, pasted, or dropped anywhere on the page. */
export function Composer({ conversationId, writing, returned, blind, documents, onSend, onStop }: ComposerProps) {
  const [{ text, pictures }, keep] = useUnsent(conversationId)
  const setText = (text: string) => keep({ text })
  const prompts = usePrompts(text, setText)
  const attached = useAttached(pictures, pictures => keep({ pictures }), blind)
  const ready = text.trim() !== "" && !writing && !documents.busy && !(blind && attached.files.length > 0)
  const take = (files: Iterable<File>) => {
    const { pictures = [], others = [] } = Object.groupBy(files, file => (isPicture(file) ? "pictures" : "others"))
    if (pictures.length > 0) attached.add(pictures)
    if (others.length > 0) documents.add(others)
  }
  const over = useDroppedFiles(take)
  useEffect(() => {
    if (!returned) return
    setText(text || returned.text)
    attached.set(returned.pictures.filter(picture => picture instanceof File))
  }, [returned])
  const sentAt = useRef(Number.NEGATIVE_INFINITY)
  const isSecondClick = ({ detail }: MouseEvent) => detail > 0 && performance.now() - sentAt.current < DOUBLE_CLICK_MS
  useLostFocus(writing)
  const send = () => {
    if (prompts.take() || !ready) return
    onSend(text, attached.files)
    setText("")
    attached.set([])
    documents.clear()
  }
  return (
    <>
      {prompts.shown}
      <form
        class={over ? "composer over" : "composer"}
        onSubmit={event => {
          event.preventDefault()
          sentAt.current = performance.now()
          send()
        }}
      >
        {over && <p class="drop-hint">{t("Drop files to ask about them here")}</p>}
        <DocumentList {...documents} />
        <PictureList {...attached} />
        <div class="composer-line">
          <AttachFiles documents={documents} />
          <Button kind="quiet" icon="list" label={t("Prompts")} onClick={prompts.open} />
          <AttachButton attached={attached} blind={blind} />
          <MessageField text={text} onInput={setText} onSend={send} onFiles={take} />
          {writing ? (
            <Button key="stop" icon="stop" label={t("Stop")} onClick={event => isSecondClick(event) || onStop()} />
          ) : (
            // a node of its own: a press that began on the one never ends on the other
            <Button key="send" kind="primary" icon="send" label={t("Send")} type="submit" disabled={!ready} />
          )}
        </div>
      </form>
    </>
  )
}

/** The button that began or stopped a reply goes with it: whoever used it by keyboard goes on in the field. */
function useLostFocus(writing: boolean): void {
  useLayoutEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    // a finger has no place to lose, and the field would open the keyboard on the screen
    if (isLost && !matchMedia("(pointer: coarse)").matches)
      document.getElementById("message")?.focus({ preventScroll: true })
  }, [writing])
}

/** What is typed and attached for this conversation, and how to change it. */
function useUnsent(conversationId: string | undefined) {
  const { workspace } = useAccount().me
  const [, redraw] = useState({})
  const unsent = unsentIn(workspace.id, conversationId)
  const keep = (change: Partial<Unsent>) => {
    keepUnsent(workspace.id, conversationId, { ...unsentIn(workspace.id, conversationId), ...change })
    redraw({})
  }
  return [unsent, keep] as const
}

/** Those that the reader keeps, while one is named or the dialog is open. */
function usePrompts(text: string, onChoose: (text: string) => void) {
  const [choosing, setChoosing] = useState(false)
  const offered = useRef<string | undefined>(undefined)
  const match = NAMED.exec(text)
  const named = match?.[1] ?? match?.[2]
  const choose = (prompt: string) => {
    const isKept = text.trim() === "" || text === prompt
    onChoose((match ? text.slice(0, match.index) : isKept ? "" : `${text}\n`) + prompt)
    setChoosing(false)
  }
  const onClose = choosing ? () => setChoosing(false) : undefined
  const shown = (named !== undefined || choosing) && (
    <Lazy load={loadPrompts} props={{ named, offered, text, onChoose: choose, onClose }} />
  )
  return {
    shown,
    open: () => setChoosing(true),
    /** Whether the message ended on the name of one, whose text stands in its place now. */
    take(): boolean {
      if (named === undefined || offered.current === undefined) return false
      choose(offered.current)
      return true
    },
  }
}

const PictureList = (attached: Attached) => (
  <>
    <AttachedPictures {...attached} />
    {attached.problem && (
      <p class="issue" role="alert">
        {attached.problem}
      </p>
    )}
  </>
)

interface MessageFieldProps {
  text: string
  onInput: (text: string) => void
  onSend: () => void
  onFiles: (files: FileList) => void
}

const MessageField = ({ text, onInput, onSend, onFiles }: MessageFieldProps) => (
  <>
    <label class="unseen" for="message">
      {t("Message")}
    </label>
    <textarea
      id="message"
      class="input"
      dir="auto"
      rows={2}
      maxLength={100_000}
      placeholder={t("Ask something")}
      ref={focusOnce}
      value={text}
      onInput={event => onInput(event.currentTarget.value)}
      onPaste={event => {
        const files = pastedFiles(event)
        if (!files) return
        event.preventDefault()
        onFiles(files)
      }}
      onKeyDown={event => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
        event.preventDefault()
        onSend()
      }}
    />
  </>
)

/** None where text comes with them: a table is pasted as a picture too. */
const pastedFiles = ({ clipboardData: data }: ClipboardEvent): FileList | undefined =>
  data && data.files.length > 0 && !data.types.includes("text/plain") ? data.files : undefined
