import { HttpException, Injectable } from "@nestjs/common"
import type { Response } from "express"

const perMinute = 1_000_000
const minute = 60_000

/** Limits the requests of each caller a minute, in memory. */
@Injectable()
export class RateLimit {
  private readonly windows = new Map<string, { endsAt: number; used: number }>()

  count(response: Response, caller: string) {
    const now = Date.now()
    let window = this.windows.get(caller)
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + minute, used: 0 }
      this.windows.set(caller, window)
    }
    window.used += 1
    const reset = Math.ceil((window.endsAt - now) / 1000)
    response.setHeader("ratelimit-policy", `"global";q=${perMinute};w=60`)
    response.setHeader("ratelimit", `"global";r=${Math.max(0, perMinute - window.used)};t=${reset}`)
    if (window.used <= perMinute) return
    response.setHeader("retry-after", String(reset))
    throw new HttpException({ detail: "Too many requests", code: "RATE_LIMITED" }, 429)
  }
}
