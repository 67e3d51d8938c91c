/** Fixed windows of 60 s, in memory: a restart opens new ones. */
import { AppError } from "../errors.ts"

const WINDOW_MS = 60_000

export interface Window {
  /** Requests allowed per window. */
  limit: number
  used: number
  /** Milliseconds since the epoch. */
  resetAt: number
}

export class RateLimiter {
  private readonly windows = new Map<string, Window>()

  /** Counts one request; `allowed` is false, and nothing is counted, once the window is used up. */
  take(id: string, limit: number, now = Date.now()): { allowed: boolean; window: Window } {
    const window = this.current(id, limit, now)
    const allowed = window.used < limit
    if (allowed) window.used++
    return { allowed, window }
  }

  /** Counts one request. @throws AppError rate_limited once the window is used up */
  spend(id: string, limit: number, message?: string): void {
    const { allowed, window } = this.take(id, limit)
    if (!allowed)
      throw new AppError("rate_limited", { ...(message ? { message } : {}), retryAfter: secondsLeft(window) })
  }

  private current(id: string, limit: number, now: number): Window {
    let window = this.windows.get(id)
    // A clock that jumps back would leave a window open for longer than 60 s: it counts as over.
    if (!window || now >= window.resetAt || window.resetAt - now > WINDOW_MS) {
      if (this.windows.size > 10_000) this.forget(now)
      window = { limit, used: 0, resetAt: now + WINDOW_MS }
      this.windows.set(id, window)
    }
    window.limit = limit
    return window
  }

  private forget(now: number): void {
    for (const [id, window] of this.windows) if (now >= window.resetAt) this.windows.delete(id)
  }
}

export function rateLimitHeaders(window: Window): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(window.limit),
    "X-RateLimit-Remaining": String(Math.max(0, window.limit - window.used)),
    "X-RateLimit-Reset": String(Math.ceil(window.resetAt / 1000)),
  }
}

/** Whole seconds until the window resets, at least 1. */
export const secondsLeft = (window: Window, now = Date.now()): number =>
  Math.max(1, Math.ceil((window.resetAt - now) / 1000))
