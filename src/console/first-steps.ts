/** How far a new installation has come, read again until it has come all the way. */
import { api } from "./api.ts"
import { type Loaded, useLoaded, useRepeated } from "./loading.ts"
import type { FoundOllama } from "./wire.ts"

export interface FirstSteps {
  model: boolean
  file: boolean
  answer: boolean
  key: boolean
  ollama: FoundOllama
}

const REFRESH_MS = 4_000

export const STEPS = ["model", "file", "answer", "key"] as const

export function useFirstSteps(): Loaded<FirstSteps> {
  const steps = useLoaded("first steps", signal => api.get<FirstSteps>("/keys/first-steps", signal))
  const { data } = steps
  useRepeated(data && STEPS.every(step => data[step]) ? null : REFRESH_MS, steps.reload)
  return steps
}
