/** Whom a conversation or run is shared with: chosen anew, or taken back. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { rich, spoken, t } from "../../text.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Problem, Segments, TextField } from "../../ui/form.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Member, Owner, Shares } from "../../wire.ts"

/** More than these are searched rather than looked through. */
const IN_SIGHT = 8

const REACHES = [
  ["nobody", "Nobody"],
  ["users", "Some"],
  ["workspace", "Everybody"],
] as const
type Reach = (typeof REACHES)[number][0]

export interface ShareDialogProps {
  /** Of what is shared: `/conversations/conv_1`. */
  path: string
  owner: Owner | null
  onClose: () => void
  onSaved: () => void
}

export function ShareDialog({ path, owner, onClose, onSaved }: ShareDialogProps) {
  const { me } = useAccount()
  const present = useLoaded(path, async signal => {
    const [shares, members] = await Promise.all([
      api.get<Shares>(`${path}/shares`, signal),
      api.get<{ data: Member[] }>("/keys/members", signal),
    ])
    return { shares, people: offered(shares, members.data, [me.user.id, owner?.id]) }
  })
  const save = async (users: Shares["users"] | string[]) => {
    await api.put(`${path}/shares`, { users })
    notify(users.length === 0 ? t("Nobody else reads it any more.") : t("It is shared."))
    onSaved()
    onClose()
  }
  return (
    <Dialog title={t("Share to read")} onClose={onClose}>
      <Problem error={present.error} />
      {present.data && <ShareForm {...present.data} workspace={me.workspace.name} onSave={save} onClose={onClose} />}
    </Dialog>
  )
}

/** Those in the workspace, and those it is shared with who cannot sign in now: they would be lost by the next saving. */
function offered({ users }: Shares, members: Member[], without: readonly (string | undefined)[]): Member[] {
  const others = users === "workspace" ? [] : users.filter(({ id }) => !members.some(member => member.id === id))
  return [...members, ...others]
    .filter(({ id }) => !without.includes(id))
    .sort((left, right) => left.name.localeCompare(right.name))
}

interface ShareFormProps {
  shares: Shares
  people: readonly Member[]
  workspace: string
  onSave: (users: "workspace" | string[]) => Promise<void>
  onClose: () => void
}

function ShareForm({ shares: { users }, people, workspace, onSave, onClose }: ShareFormProps) {
  const [reach, setReach] = useState<Reach>(users === "workspace" ? users : users.length > 0 ? "users" : "nobody")
  const [chosen, setChosen] = useState<string[]>(users === "workspace" ? [] : users.map(({ id }) => id))
  const save = useAction(() => onSave(reach === "workspace" ? reach : reach === "users" ? chosen : []))
  return (
    <Form class="stack" action={save}>
      <Segments label={t("Who reads it")} value={reach} options={spoken(REACHES)} onChange={setReach} />
      {reach === "workspace" && (
        <p>{rich("Everybody who is in the workspace <bdi/>, now or later.", { bdi: <bdi>{workspace}</bdi> })}</p>
      )}
      {reach === "users" && <PeopleChoices people={people} chosen={chosen} onChange={setChosen} />}
      <p class="soft small">
        {t(
          "They read it as it stands and goes on, also what it quotes from files, and change nothing. Administrators see it anyway.",
        )}
      </p>
      <Problem error={save.error} />
      <FormFoot
        action={reach === "nobody" && users.length > 0 ? t("Take back") : t("Save")}
        busy={save.busy}
        disabled={reach === "users" && chosen.length === 0}
        onClose={onClose}
      />
    </Form>
  )
}

interface PeopleChoicesProps {
  people: readonly Member[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

function PeopleChoices({ people, chosen, onChange }: PeopleChoicesProps) {
  const [search, setSearch] = useState("")
  if (people.length === 0) return <p>{t("There is nobody else in this workspace.")}</p>
  const words = search.trim().toLowerCase()
  const shown = people.filter(({ name }) => name.toLowerCase().includes(words))
  return (
    <>
      {people.length > IN_SIGHT && (
        <TextField label={t("Find somebody")} type="search" value={search} onInput={setSearch} />
      )}
      <fieldset class="choices people">
        <legend>{t("People")}</legend>
        {shown.map(({ id, name }) => (
          <label key={id} title={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={event =>
                onChange(event.currentTarget.checked ? [...chosen, id] : chosen.filter(other => other !== id))
              }
            />
            <span class="entry-key">
              <bdi>{name}</bdi>
              {people.some(other => other.id !== id && other.name === name) && <code class="soft small"> {id}</code>}
            </span>
          </label>
        ))}
        {shown.length === 0 && <p class="soft small">{t("Nobody of that name is in this workspace.")}</p>}
      </fieldset>
    </>
  )
}
