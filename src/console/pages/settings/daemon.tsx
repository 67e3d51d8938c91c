/** Settings → Daemon: the settings that it was started with, and where each comes from. For administrators. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import { rich, type Text, t } from "../../text.ts"
import { Problem, Segments, TextField } from "../../ui/form.tsx"
import type { InstallationSetting } from "../../wire.ts"

const FROM: Record<InstallationSetting["from"], Text> = {
  flag: "Flag",
  environment: "Environment",
  file: "File",
  default: "Default",
}

export function DaemonSettings() {
  const [text, setText] = useState("")
  const [which, setWhich] = useState<"all" | "given">("all")
  const settings = useLoaded("settings", signal =>
    api.get<{ data: InstallationSetting[] }>("/keys/installation/settings", signal),
  )
  const wanted = text
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, "_")
  const shown = (settings.data?.data ?? []).filter(
    ({ name, description, from }) =>
      (which === "all" || from !== "default") &&
      (name.includes(wanted) || description.toLowerCase().includes(text.trim().toLowerCase())),
  )
  return (
    <section class="stack">
      <div>
        <h2>{t("Settings of the daemon")}</h2>
        <p class="soft">
          {rich(
            "A flag wins over the environment, that over <code/>. They are changed there and hold from the next start on.",
            { code: <code>carrel.toml</code> },
          )}
        </p>
      </div>
      <Problem error={settings.error} />
      <div class="row">
        <TextField label={t("Find a setting")} type="search" value={text} onInput={setText} />
        <Segments
          label={t("Which")}
          value={which}
          onChange={setWhich}
          options={[
            ["all", t("All")],
            ["given", t("Changed")],
          ]}
        />
      </div>
      {settings.data && shown.length === 0 && <p class="soft">{t("There is no such setting.")}</p>}
      <SettingTable settings={shown} />
    </section>
  )
}

const SettingTable = ({ settings }: { settings: readonly InstallationSetting[] }) => (
  <div class="table-frame">
    <table class="table stacked">
      <thead>
        <tr>
          <th>{t("Setting")}</th>
          <th>{t("Value")}</th>
          <th>{t("Set by")}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ name, value, from, source, description }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              <span class="soft small block">{description}</span>
            </td>
            <td data-label={t("Value")}>
              {value === "" ? <span class="soft">{t("empty")}</span> : <code class="entry-key">{value}</code>}
            </td>
            <td data-label={t("Set by")}>
              <span class={`badge ${from === "default" ? "" : "good"}`}>{t(FROM[from])}</span>
              {from !== "default" && <code class="soft small block entry-key">{source}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
