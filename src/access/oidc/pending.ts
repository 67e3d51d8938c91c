/**
 * Sign-ins whose person is at the provider. What they are tied to is sealed and kept by the browser alone, so that a start
 * writes nothing here and any node takes the answer; that an answer came is a row, so that none is taken twice.
 */
import { createHash, randomBytes } from "node:crypto"
import type { Database } from "../../storage/database.ts"
import type { Sealer } from "../../storage/sealed.ts"
import type { Ties } from "./provider.ts"
import { SignInRefused } from "./refusal.ts"

export interface Begun extends Ties {
  /** Page of the console to go to afterwards. */
  to: string
}

export const BEGUN_S = 10 * 60
/** What it is sealed for: bytes that were sealed for anything else open nothing here. */
const PLACE = "sign-in"

const random = () => randomBytes(32).toString("base64url")

export class PendingSignIns {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number = Date.now,
  ) {}

  /** `kept` is for the browser. */
  begin(to: string): { begun: Begun; kept: string } {
    const begun = { state: random(), nonce: random(), verifier: random(), to }
    const sealed = this.sealer.seal(JSON.stringify({ ...begun, until: this.now() + BEGUN_S * 1000 }), PLACE)
    return { begun, kept: Buffer.from(sealed, "base64").toString("base64url") }
  }

  /**
   * Takes the answer to a sign-in, once.
   * @param kept what the browser that brings it has kept
   * @throws SignInRefused no_browser, expired, wrong_state, used
   */
  async take(kept: string | undefined, state: string | null): Promise<Begun> {
    const { until, ...begun } = this.opened(kept)
    if (this.now() > until) throw new SignInRefused("expired")
    if (begun.state !== state) throw new SignInRefused("wrong_state")
    await this.use(begun.state, until)
    return begun
  }

  private opened(kept: string | undefined): Begun & { until: number } {
    if (kept === undefined) throw new SignInRefused("no_browser")
    try {
      return JSON.parse(this.sealer.open(Buffer.from(kept, "base64url").toString("base64"), PLACE))
    } catch (cause) {
      throw new SignInRefused("no_browser", { cause })
    }
  }

  private async use(state: string, until: number): Promise<void> {
    const now = new Date(this.now()).toISOString()
    await this.database.deleteFrom("sign_in_states").where("expires_at", "<", now).execute()
    const used = await this.database
      .insertInto("sign_in_states")
      .values({
        state_hash: createHash("sha256").update(state).digest("hex"),
        expires_at: new Date(until).toISOString(),
      })
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (used.numInsertedOrUpdatedRows === 0n) throw new SignInRefused("used")
  }
}
