import { t } from "../../text.ts"
import { CopyButton } from "../../ui/button.tsx"
import { ShownOnce } from "../../ui/shown-once.tsx"
import type { NewApiKey } from "../../wire.ts"

/** The three values and the token of them, shown once, and a line to try them. */
export function Credentials({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const values = [
    ["client-id", made.client_id],
    ["private-key", made.private_key],
    ["secret", made.secret],
  ] as const
  const curl = `curl -s ${location.origin}/external-docs/external/models \\\n${values.map(([name, value]) => `  -H '${name}: ${value}'`).join(" \\\n")}`
  return (
    <ShownOnce
      title={t("Credentials of {name}", { name: made.name })}
      notice={t("Store these now. The private key and the secret are not shown again.")}
      values={[...values, ["token", made.token]]}
      onClose={onClose}
    >
      <p class="soft">{t("The token holds all three, for applications that have one field for a key.")}</p>
      <div class="snippet">
        <div class="row between">
          <h3>{t("Try it")}</h3>
          <CopyButton text={curl} label={t("Copy the curl line")} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {curl}
        </pre>
      </div>
    </ShownOnce>
  )
}
