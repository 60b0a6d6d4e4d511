import { Config, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { memoize } from "effect/Function"
import { ApiError } from "../errors/ApiError.ts"
import * as AnswerHeaders from "./AnswerHeaders.ts"
import { Worker } from "../workers/Worker.ts"
import * as RateLimitMemory from "./RateLimitMemory.ts"
import * as RateLimitPrimary from "./RateLimitPrimary.ts"

export class RateLimited extends ApiError<RateLimited>()(
  "RateLimited",
  { status: 429, detail: "Too many requests; try again later", example: "Too many requests; try again in 12 seconds" },
  { retry_after: Schema.Int.annotate({ description: "Seconds to wait before the next attempt", examples: [12] }) }
) {
  /** Makes the refusal with the seconds to wait. `bypass` tells the client how to bypass the limit, if it can. */
  static after(retry_after: number, bypass = "") {
    const seconds = retry_after === 1 ? "1 second" : `${retry_after} seconds`
    return new RateLimited({ detail: `Too many requests; try again in ${seconds}${bypass}`, details: { retry_after } })
  }
}

/** Allows at most `limit` uses per `window` for each key. */
export interface Rule {
  readonly name: string
  readonly limit: number
  readonly window: Duration.Duration
}

const RedisUrl = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(
      (text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? "") || "must be a redis:// or rediss:// URL"
    )
  )
)

/** Counts in memory; a worker counts in the memory of the primary process, which its workers share. */
const inMemory = Effect.gen(function* () {
  if ((yield* Worker) !== undefined) return { count: yield* RateLimitPrimary.make, countAt: undefined }
  const countAt = RateLimitMemory.makeAt()
  return { count: RateLimitMemory.byClock(countAt), countAt }
})

/** Counts in Redis when `REDIS_URL` is set, so that several instances share the limits; else in memory. */
const counter = Effect.gen(function* () {
  const url = yield* Config.option(Config.schema(RedisUrl, "REDIS_URL"))
  const memory = yield* inMemory
  if (Option.isNone(url)) return memory
  const RateLimitRedis = yield* Effect.promise(() => import("./RateLimitRedis.ts"))
  return { count: yield* RateLimitRedis.make(url.value, memory.count), countAt: undefined }
})

/** The values that all uses of a rule share. */
const sharedOf = memoize(({ limit, name, window }: Rule) => ({
  refillRate: Duration.divideUnsafe(window, limit),
  policy: `"${name}";q=${limit};w=${Math.ceil(Duration.toSeconds(window))}`
}))

const useOf = (rule: Rule, key: string, tokens: number) => ({
  key: `${rule.name}:${key}`,
  tokens,
  limit: rule.limit,
  refillRate: sharedOf(rule).refillRate
})

/** The headers that report a limit, and the seconds until its uses expire. */
const reportOf = (rule: Rule, used: number, forgottenIn: number) => {
  const reset = Math.max(1, Math.ceil(forgottenIn / 1000))
  return {
    reset,
    headers: {
      "ratelimit-policy": sharedOf(rule).policy,
      ratelimit: `"${rule.name}";r=${Math.max(0, rule.limit - used)};t=${reset}`
    }
  }
}

/** Refuses the current request, and sends the same seconds as `Retry-After`. */
export const refuse = (retry_after: number): Effect.Effect<never, RateLimited> =>
  Effect.andThen(AnswerHeaders.set({ "retry-after": String(retry_after) }), RateLimited.after(retry_after))

/**
 * Limits how often a client may do something, and reports the limits in the `RateLimit` headers
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Counts uses, one by default: all of them, or none when they exceed the limit. */
    readonly enforce: (rule: Rule, key: string, uses?: number) => Effect.Effect<void, RateLimited>
    /**
     * Counts one use in a plain call, and returns the headers that report the limit. Undefined when the use exceeds the
     * limit or this process does not count: then nothing is counted, and `enforce` decides.
     */
    readonly enforceAt: (rule: Rule, key: string, now: number) => Readonly<Record<string, string>> | undefined
    /** Gives one use back. */
    readonly giveBack: (rule: Rule, key: string) => Effect.Effect<void>
  }
>()("app/platform/RateLimit") {
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.gen(function* () {
      const { count, countAt } = yield* counter

      const use = (rule: Rule, key: string, tokens: number) => Effect.orDie(count(useOf(rule, key, tokens)))

      const enforce = Effect.fnUntraced(function* (rule: Rule, key: string, uses = 1) {
        const [used, forgottenIn] = yield* use(rule, key, uses)
        const { headers, reset } = reportOf(rule, used, forgottenIn)
        // Several limits may apply to one request.
        yield* AnswerHeaders.append(headers)
        if (used > rule.limit) return yield* refuse(reset)
      })

      const enforceAt = (rule: Rule, key: string, now: number) => {
        if (countAt === undefined) return undefined
        const [used, forgottenIn] = countAt(useOf(rule, key, 1), now)
        return used > rule.limit ? undefined : reportOf(rule, used, forgottenIn).headers
      }

      const giveBack = Effect.fn("RateLimit.giveBack")((rule: Rule, key: string) => Effect.asVoid(use(rule, key, -1)))

      return RateLimit.of({ enforce, enforceAt, giveBack })
    })
  )
}
