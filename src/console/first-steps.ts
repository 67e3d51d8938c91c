/** How far a new installation has come, read again until it has come all the way. */
import { api } from "./api.ts"
import { type Loaded, useLoaded, useRepeated } from "./loading.ts"

export interface FirstSteps {
  model: boolean
  file: boolean
  answer: boolean
  key: boolean
  ollama: { address: string | null; configured: boolean; state: "absent" | "empty" | "ready" }
}

const REFRESH_MS = 4_000

export const STEPS = ["model", "file", "answer", "key"] as const

export function useFirstSteps(): Loaded<FirstSteps> {
  const steps = useLoaded("first steps", signal => api.get<FirstSteps>("/keys/first-steps", signal))
  const { data } = steps
  useRepeated(data && STEPS.every(step => data[step]) ? null : REFRESH_MS, steps.reload)
  return steps
}
