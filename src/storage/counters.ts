/** Tables of what nodes count together, on PostgreSQL alone; on one machine it is counted in memory. */

/** Requests of a window of the rate limit. */
export interface RateWindowsTable {
  id: string
  /** Numbers taken by nodes. */
  used: number
  /** Of those, the ones that were given last. */
  granted: number
  /** Milliseconds since the epoch, by the database's clock, as all times here. */
  ends_at: number
}

/** Failures to sign in, of an account or an address. */
export interface SignInFailuresTable {
  key: string
  failures: number
  last_at: number
  /** A delayed try waits until then; 0 for none. */
  waiting_until: number
}

/** Requests of a key in a minute. */
export interface TrafficTable {
  key_id: string
  /** Minutes since the epoch. */
  minute: number
  requests: number
}

export interface CountersTables {
  rate_windows: RateWindowsTable
  sign_in_failures: SignInFailuresTable
  traffic: TrafficTable
}
