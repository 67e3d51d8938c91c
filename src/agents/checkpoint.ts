/**
 * What a run that waits for a person goes on from where its daemon ends meanwhile. It is stored when a call begins to wait. Steps
 * and approvals are rows of their own and not repeated here: the result of a step goes with the files that it is from.
 */
import type { View } from "../access/view.ts"
import { CITATION, type Citation } from "../grounding/passages.ts"
import type { Fields } from "../guarded.ts"

/** Where the loop is (`run.ts`). */
export interface LoopState {
  /** Those before the open one, in order. */
  turns: KeptTurn[]
  /** The one whose calls are being carried out. */
  open: KeptTurn
  turnCount: number
  idleTurns: number
  callCount: number
  /** Steps that count where the model makes the same call again, and those of the open turn that repeat one. */
  counted: number[]
  repeated: number[]
}

/** One reply of the model, and what came of it. */
export interface KeptTurn {
  text: string
  /** What the model was told; null where its calls were carried out. */
  told: string | null
  steps: number[]
  /** Calls that it made: those beyond the bound are no steps. */
  made: number
}

const KEPT_TURN: Fields<KeptTurn> = { text: "text", told: "text", steps: "own", made: "own" }

export interface Checkpoint {
  /** Of who started the run: it sees what it saw. */
  view: View
  approvalSeconds: number
  /** What was asked to be redacted; see `keptRedaction`. */
  redaction: unknown
  /** `Guard.key`: where it is another now, texts are looked at anew. */
  guardKey: string | null
  /** How long the run may still go. */
  leftMs: number
  nerCount: number
  /** The answer will warn that not all writing could be read. */
  isPartlyRead: boolean
  passages: Citation[]
  loop: LoopState
}

export const CHECKPOINT: Fields<Checkpoint> = {
  view: "own",
  approvalSeconds: "own",
  redaction: "own",
  guardKey: "own",
  leftMs: "own",
  nerCount: "own",
  isPartlyRead: "own",
  passages: CITATION,
  loop: {
    turns: KEPT_TURN,
    open: KEPT_TURN,
    turnCount: "own",
    idleTurns: "own",
    callCount: "own",
    counted: "own",
    repeated: "own",
  },
}
