/** Pages arrive when they are first shown; the first load stays small. */
import type { ComponentType, VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import { t } from "./text.ts"
import { Problem } from "./ui/form.tsx"

/** Called when the page is first shown, or before that when the browser has nothing else to do. */
export type Load<Props> = () => Promise<ComponentType<Props>>

// biome-ignore lint/suspicious/noExplicitAny: components of any properties; `Lazy` gives each its own
const arrived = new Map<Load<any>, ComponentType<any>>()

async function fetchOnce<Props>(load: Load<Props>): Promise<void> {
  if (!arrived.has(load)) arrived.set(load, await load())
}

interface LazyProps<Props> {
  load: Load<Props>
  props: Props
  /** Stands in its place until then. */
  until?: VNode
}

/** Empty until the component is there, which takes one request on its first show. */
export function Lazy<Props extends object>({ load, props, until }: LazyProps<Props>) {
  const [, redraw] = useState(0)
  const [failure, setFailure] = useState<Error>()
  const Component = arrived.get(load) as ComponentType<Props> | undefined
  useEffect(() => {
    // It may have arrived since this was drawn, fetched ahead: what was drawn decides, or the page would stay empty.
    if (Component) return
    setFailure(undefined)
    fetchOnce(load).then(
      () => redraw(turn => turn + 1),
      () =>
        setFailure(
          new Error(t("This page could not be loaded. Carrel may have been updated: reload the browser tab.")),
        ),
    )
  }, [load])
  if (Component) return <Component {...props} />
  return failure ? <Problem error={failure} /> : (until ?? null)
}

/** Fetches pages that may be shown next, one after the other. A failure shows when the page is asked for. */
export function fetchAhead<Props>(loads: readonly Load<Props>[]): void {
  const start = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 1_000))
  start(async () => {
    for (const load of loads) await fetchOnce(load).catch(() => {})
  })
}
