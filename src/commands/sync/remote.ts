/** The source at the daemon that the command feeds. */
import { OperatorError } from "../../errors.ts"
import { UsageError } from "../failure.ts"
import type { Daemon } from "./daemon.ts"

export interface RemoteSource {
  id: string
  name: string
  type: string
  context_id: string | null
}

interface Page {
  data: RemoteSource[]
  pagination: { total_pages: number }
}

/** The oldest push source of that name. @throws OperatorError where a source of another type has it */
export async function findSource(daemon: Daemon, name: string): Promise<RemoteSource | undefined> {
  const found: RemoteSource[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, pagination } = await daemon.json<Page>("GET", `/sources?page=${page}&page_size=100`)
    found.push(...data.filter(source => source.name === name))
    pages = pagination.total_pages
  }
  const push = found.filter(({ type }) => type === "push").sort((a, b) => (a.id < b.id ? -1 : 1))
  if (push.length === 0 && found.length > 0)
    throw new OperatorError(`the source ${name} is kept in sync by the daemon itself`, {
      hint: "choose another --name",
    })
  return push[0]
}

/** @throws UsageError where it puts its files elsewhere than is asked for */
export async function findOrMakeSource(
  daemon: Daemon,
  name: string,
  context: string | undefined,
): Promise<RemoteSource> {
  const found = await findSource(daemon, name)
  if (found) {
    refuseOther(found, context)
    return found
  }
  return daemon.json<RemoteSource>("POST", "/sources", {
    type: "push",
    name,
    config: {},
    ...(context === undefined ? {} : { context_id: context }),
  })
}

/** @throws UsageError as `findOrMakeSource` */
export function refuseOther({ name, context_id }: RemoteSource, context: string | undefined): void {
  if (context !== undefined && context_id !== context)
    throw new UsageError(
      `--context: the source ${name} puts its files into ${context_id ?? "no context"}; change it there, or choose another --name`,
    )
}
