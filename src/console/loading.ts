/** Data of a page: loaded on show and on change, repeated while something is in motion. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"

export interface Loaded<T> {
  data: T | undefined
  error: Error | undefined
  /** True until the first answer. */
  loading: boolean
  reload(): void
  /** Shows a change before the daemon has confirmed it. */
  set(data: T): void
}

/**
 * Calls `load` whenever `key` changes; an answer that has been overtaken is dropped.
 * The last data stays visible while new data loads, so that nothing jumps.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: Error }>({})
  const [turn, setTurn] = useState(0)
  // The key and the turn say when; `load` is a new closure each time.
  useEffect(() => {
    const abort = new AbortController()
    load(abort.signal).then(
      data => !abort.signal.aborted && setState({ data }),
      error => !abort.signal.aborted && setState(previous => ({ ...previous, error })),
    )
    return () => abort.abort()
  }, [key, turn])
  const reload = useCallback(() => setTurn(value => value + 1), [])
  const set = useCallback((data: T) => setState({ data }), [])
  return { data: state.data, error: state.error, loading: !state.data && !state.error, reload, set }
}

/** Calls `action` every `intervalMs` while the page is visible; null stops. */
export function useRepeated(intervalMs: number | null, action: () => void): void {
  const latest = useRef(action)
  latest.current = action
  useEffect(() => {
    if (intervalMs === null) return
    const timer = setInterval(() => document.hidden || latest.current(), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
}

/** A value that follows with a delay: typing does not send a request per key. */
export function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}

/** A handler that shows itself as busy and keeps its error, for forms and buttons. */
export function useAction<A extends unknown[]>(action: (...args: A) => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const run = async (...args: A): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      await action(...args)
      return true
    } catch (failure) {
      setError(failure as Error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, busy, error, clear: () => setError(undefined) }
}
