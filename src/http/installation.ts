/** What administrators see of the installation beyond what other rooms serve. `app/installation.ts` fills it. */
import type { ModelTrials } from "../chat/model-trial.ts"

export interface InstallationSetting {
  name: string
  value: string
  default: string
  from: "flag" | "environment" | "file" | "default"
  source: string
  description: string
}

export interface PackRecord {
  name: string
  languages: string[]
  bytes: number
  added_at: string | null
}

export interface Installation {
  settings: readonly InstallationSetting[]
  directory: string
  /** Originals of all workspaces, wherever they are stored. */
  files(): Promise<{ count: number; bytes: number }>
  packs(): PackRecord[]
  trials: ModelTrials
}
