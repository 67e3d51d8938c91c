/** Fixed windows of 60 s. On one machine they are in memory, and a restart opens new ones; see `shared-rate-limit.ts`. */
import { AppError } from "../errors.ts"

export const WINDOW_MS = 60_000

export interface Window {
  /** Requests allowed per window. */
  limit: number
  used: number
  /** Milliseconds since the epoch. */
  resetAt: number
}

/** Not allowed: nothing was counted, and asking again makes sense after so many seconds. */
export type Taken = { allowed: true; window: Window } | { allowed: false; window: Window; retryAfter: number }

export interface RateLimiter {
  /** Counts one request unless the window is used up; at once where nobody else needs to be asked. */
  take(id: string, limit: number): Taken | Promise<Taken>
}

/** Windows kept before those that are over are looked for. */
export const MANY_WINDOWS = 10_000

export class LocalRateLimiter implements RateLimiter {
  private readonly windows = new Map<string, Window>()

  constructor(
    private readonly windowMs = WINDOW_MS,
    private readonly now: () => number = Date.now,
  ) {}

  take(id: string, limit: number): Taken {
    const now = this.now()
    const window = this.current(id, limit, now)
    if (window.used >= limit) return { allowed: false, window, retryAfter: wholeSeconds(window.resetAt - now) }
    window.used++
    return { allowed: true, window }
  }

  private current(id: string, limit: number, now: number): Window {
    let window = this.windows.get(id)
    // A clock that jumps back would leave a window open for longer than it lasts: it counts as over.
    if (!window || now >= window.resetAt || window.resetAt - now > this.windowMs) {
      if (this.windows.size > MANY_WINDOWS) this.forget(now)
      window = { limit, used: 0, resetAt: now + this.windowMs }
      this.windows.set(id, window)
    }
    window.limit = limit
    return window
  }

  private forget(now: number): void {
    for (const [id, window] of this.windows) if (now >= window.resetAt) this.windows.delete(id)
  }
}

/** Counts one request. @throws AppError rate_limited once the window is used up */
export async function spend(limiter: RateLimiter, id: string, limit: number, message?: string): Promise<void> {
  const taken = await limiter.take(id, limit)
  if (!taken.allowed)
    throw new AppError("rate_limited", { ...(message ? { message } : {}), retryAfter: taken.retryAfter })
}

export function rateLimitHeaders(window: Window): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(window.limit),
    "X-RateLimit-Remaining": String(Math.max(0, window.limit - window.used)),
    "X-RateLimit-Reset": String(Math.ceil(window.resetAt / 1000)),
  }
}

/** At least 1. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
