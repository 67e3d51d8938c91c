/** The groups of a user, by which the acl of a file lets members see it. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Lines, Problem } from "../../ui/form.tsx"
import type { UserRecord } from "../../wire.ts"

interface Props {
  user: UserRecord
  /** Groups of all users. */
  known: readonly string[]
  onClose: () => void
  onSaved: () => void
}

const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

export function UserGroups({ user, known, onClose, onSaved }: Props) {
  const [text, setText] = useState(user.groups.join("\n"))
  const names = namesIn(text)
  const others = known.filter(name => !names.includes(name))
  const save = useAction(async () => {
    await api.patch(`/keys/users/${user.id}`, { groups: names })
    onSaved()
    onClose()
  })
  if (user.groups_from) return <Provided user={user} onClose={onClose} />
  return (
    <Dialog title={t("Groups of {name}", { name: user.name })} onClose={onClose}>
      <Form class="stack" action={save}>
        <Lines
          label={t("Groups")}
          name="groups"
          value={text}
          onInput={setText}
          error={save.error}
          rows={4}
          hint={t("One a line. Members see files whose permissions name group:NAME; administrators see all files.")}
        />
        {others.length > 0 && (
          <fieldset class="row wrap" aria-label={t("Groups of others")}>
            {others.map(name => (
              <Button key={name} icon="plus" onClick={() => setText([...names, name].join("\n"))}>
                {name}
              </Button>
            ))}
          </fieldset>
        )}
        <Problem error={save.error} />
        <FormFoot action={t("Save")} busy={save.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

const Provided = ({ user, onClose }: Pick<Props, "user" | "onClose">) => (
  <Dialog title={t("Groups of {name}", { name: user.name })} onClose={onClose}>
    <div class="stack">
      <p>
        {t("{provider} names the groups of this user at each sign-in: {groups}.", {
          provider: user.groups_from,
          groups: user.groups.join(", ") || t("none"),
        })}
      </p>
      <footer class="row end">
        <Button kind="primary" onClick={onClose}>
          {t("Close")}
        </Button>
      </footer>
    </div>
  </Dialog>
)
