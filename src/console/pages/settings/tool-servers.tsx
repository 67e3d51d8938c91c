/** Settings → Tools: the servers whose tools agents and chats may use. For administrators. */
import { api } from "../../api.ts"
import { plural } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
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
          <h2>Tool servers</h2>
          <p class="soft">
            Model Context Protocol servers, as the file of <code>--mcp-config</code> names them. Each is asked when this
            page is opened.
          </p>
        </div>
        <Button icon="refresh" busy={servers.loading} onClick={servers.reload}>
          Ask again
        </Button>
      </div>
      <Problem error={servers.error} />
      {servers.data?.data.length === 0 && (
        <Empty icon="agents" title="No tool servers">
          <p>Agents have the built-in tools: search, reading, tables, arithmetic.</p>
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
                {server.connected ? "Connected" : "Does not answer"}
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
    <summary>{plural(tools.length, "tool")}</summary>
    <dl class="facts">
      {tools.map(({ name, description, needs_approval }) => (
        <>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            {description} {needs_approval && <span class="badge busy">Asks first</span>}
          </dd>
        </>
      ))}
    </dl>
  </details>
)
