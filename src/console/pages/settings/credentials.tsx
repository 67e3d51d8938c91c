import { useState } from "preact/hooks"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { NewApiKey } from "../../wire.ts"

/** The three values and the token of them, shown once, and a line to try them. */
export function Credentials({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const [asked, setAsked] = useState(false)
  const values = [
    ["client-id", made.client_id],
    ["private-key", made.private_key],
    ["secret", made.secret],
  ] as const
  const shown = [...values, ["token", made.token]] as const
  const curl = `curl -s ${location.origin}/external-docs/external/models \\\n${values.map(([name, value]) => `  -H '${name}: ${value}'`).join(" \\\n")}`
  return (
    <Dialog title={`Credentials of ${made.name}`} onClose={onClose} sticky>
      <div class="stack">
        <p class="notice">
          <Icon name="warning" /> Store these now. The private key and the secret are not shown again.
        </p>
        <p class="soft">The token holds all three, for applications that have one field for a key.</p>
        <dl class="secrets">
          {shown.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} label={`Copy ${name}`} />
              </dd>
            </div>
          ))}
        </dl>
        <div class="snippet">
          <div class="row between">
            <h3>Try it</h3>
            <CopyButton text={curl} label="Copy the curl line" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
          <pre class="code" tabIndex={0}>
            {curl}
          </pre>
        </div>
        <footer class="row end">
          {asked && <span class="soft">Have you stored them somewhere safe?</span>}
          <Button kind="primary" onClick={() => (asked ? onClose() : setAsked(true))}>
            {asked ? "Yes, close" : "Done"}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
