/** Pictures that go with a message: chosen, pasted or dropped, held to the limits before anything is sent. */
import { useEffect, useState } from "preact/hooks"
import { bytes, count } from "../../format.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { useFileChooser } from "../../ui/file-chooser.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { MessageImage } from "../../wire.ts"

/** As the daemon has them. */
const MAX_PICTURES = 8
const MAX_PICTURE_BYTES = 10 * 1_048_576
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
/** Whether it goes with a message as a picture; every other file is attached to the conversation. */
export const isPicture = (file: File): boolean => TYPES.includes(file.type)

const LIMITS: Text = "At most 8 pictures of 10 MB: PNG, JPEG, GIF or WebP"

/** Of a message that is written or sent: a file of this computer; of a stored one: what the daemon keeps. */
export type Picture = File | MessageImage

/** What is wrong with it, in words; undefined where it can be sent. */
function faultOf(file: File): string | undefined {
  if (!isPicture(file)) return t("{name} is neither PNG, JPEG, GIF nor WebP.", { name: file.name })
  if (file.size > MAX_PICTURE_BYTES)
    return t("{name} has {size}; a picture may have 10 MB.", {
      name: file.name,
      size: bytes(file.size),
    })
  return undefined
}

export interface Attached {
  files: readonly File[]
  /** What was wrong with those that were given last. */
  problem: string | undefined
  add(files: Iterable<File>): void
  remove(file: File): void
  set(files: readonly File[]): void
}

/** @param blind why none can be sent now */
export function useAttached(
  files: readonly File[],
  setFiles: (files: readonly File[]) => void,
  blind: string | undefined,
): Attached {
  // Told under this reason not to send: with another model, or another reason, it is over.
  const [fault, setFault] = useState<{ problem: string | undefined; blind: string | undefined }>()
  const setProblem = (problem: string | undefined) => setFault({ problem, blind })
  const problem = fault?.blind === blind ? fault?.problem : undefined
  return {
    files,
    problem: files.length > 0 ? (blind ?? problem) : problem,
    add(given) {
      if (blind) return setProblem(blind)
      const faults: string[] = []
      const good = [...given].filter(file => {
        const fault = faultOf(file)
        if (fault) faults.push(fault)
        return !fault
      })
      const room = MAX_PICTURES - files.length
      if (good.length > room) faults.push(t("A message has at most {most} pictures.", { most: count(MAX_PICTURES) }))
      setFiles([...files, ...good.slice(0, room)])
      setProblem(faults.join(" ") || undefined)
    },
    remove(file) {
      setFiles(files.filter(other => other !== file))
      setProblem(undefined)
    },
    set(next) {
      setFiles(next)
      setProblem(undefined)
    },
  }
}

/** Opens the chooser. Where no picture can be sent it stays in reach, and says why. */
export function AttachButton({ attached, blind }: { attached: Attached; blind: string | undefined }) {
  const chooser = useFileChooser({ accept: TYPES.join(), label: t("Pictures"), multiple: true, onChoose: attached.add })
  return (
    <>
      <button
        type="button"
        class="button quiet square"
        aria-label={t("Attach pictures")}
        aria-disabled={Boolean(blind)}
        title={blind ?? t(LIMITS)}
        onClick={() => (blind ? attached.add([]) : chooser.open())}
      >
        <Icon name="picture" />
      </button>
      {chooser.field}
    </>
  )
}

/** Those of the message that is being written. */
export const AttachedPictures = ({ files, remove }: Attached) =>
  files.length === 0 ? null : (
    <ul class="pictures" aria-label={t("Attached pictures")}>
      {files.map((file, i) => (
        <li key={`${file.name} ${file.lastModified} ${i}`}>
          <Thumbnail picture={file} alt={file.name} />
          <Button icon="close" label={t("Remove {name}", { name: file.name })} onClick={() => remove(file)} />
        </li>
      ))}
    </ul>
  )

/** Those of a message that was sent; stored ones open in their full size. */
export const SentPictures = ({ pictures }: { pictures: readonly Picture[] }) =>
  pictures.length === 0 ? null : (
    <ul class="pictures" aria-label={t("Pictures")}>
      {pictures.map((picture, i) => (
        <li key={i}>
          {picture instanceof File ? (
            <Thumbnail picture={picture} alt={t("Picture {number}", { number: count(i + 1) })} />
          ) : (
            <a href={picture.url} target="_blank" rel="noopener">
              <Thumbnail picture={picture} alt={t("Picture {number}", { number: count(i + 1) })} />
            </a>
          )}
        </li>
      ))}
    </ul>
  )

function Thumbnail({ picture, alt }: { picture: Picture; alt: string }) {
  const [url, setUrl] = useState(picture instanceof File ? undefined : picture.url)
  useEffect(() => {
    if (!(picture instanceof File)) return setUrl(picture.url)
    const made = URL.createObjectURL(picture)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return <img src={url} alt={alt} loading="lazy" width={72} height={72} />
}
