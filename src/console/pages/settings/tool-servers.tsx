/** Settings → Tools: the servers whose tools agents and chats may use. For administrators. */

import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import type { ToolServer } from "../../wire.ts"

export function ToolServersSettings() {
  const servers = useLoaded("tool servers", signal =>
    api.get<{ data: ToolServer[] }>("/keys/installation/tool-servers", signal),
  )
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Tool servers")}</h2>
          <p class="soft">
            {rich(
              "Model Context Protocol servers, as the file of <code/> names them. Each is asked when this page is opened.",
              { code: <code>--mcp-config</code> },
            )}
          </p>
        </div>
        <Button icon="refresh" busy={servers.loading} onClick={servers.reload}>
          {t("Ask again")}
        </Button>
      </div>
      <Problem error={servers.error} />
      {servers.data?.data.length === 0 && (
        <Empty icon="agents" title={t("No tool servers")}>
          <p>{t("Agents have the built-in tools: search, reading, tables, arithmetic.")}</p>
        </Empty>
      )}
      <ul class="list">
        {servers.data?.data.map(server => (
          <li key={server.name} class="stack tight">
            <div class="row between">
              <div class="grow">
                <strong>{server.name}</strong>
                <span class="soft small block entry-key">{server.place}</span>
              </div>
              <span class={`badge ${server.connected ? "good" : "bad"}`}>
                {server.connected ? t("Connected") : t("Does not answer")}
              </span>
            </div>
            {server.problem && <Problem error={{ message: server.problem }} />}
            {server.tools.length > 0 && <ToolList tools={server.tools} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const ToolList = ({ tools }: Pick<ToolServer, "tools">) => (
  <details class="fold">
    <summary>{t("{length, plural, one {# tool} other {# tools}}", { length: tools.length })}</summary>
    <dl class="facts">
      {tools.map(({ name, description, needs_approval }) => (
        <>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            {description} {needs_approval && <span class="badge busy">{t("Asks first")}</span>}
          </dd>
        </>
      ))}
    </dl>
  </details>
)
