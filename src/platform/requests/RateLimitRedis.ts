import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Context, Duration, Effect, Layer, Redacted, References, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import type { Count } from "./RateLimitMemory.ts"

const prefix = "proxy-rental:"
const answersWithin = "250 millis"
const silenceAtMost = Duration.toMillis("3 seconds")
/** Time without calls to Redis after a failure. */
const pause = Duration.toMillis("5 seconds")
const warnEvery = Duration.toMillis("1 minute")
const reconnectAtMost = Duration.toMillis("10 seconds")

class RedisUnavailable extends Schema.TaggedError<RedisUnavailable>()("RedisUnavailable", { reason: Schema.String }) {
  override get message() {
    return `REDIS_URL: the Redis server cannot be used: ${this.reason}`
  }
}

const unavailable = (cause: unknown) => new RedisUnavailable({ reason: reasonOf(cause) })

/** Joins the errors of a name with several addresses: the error itself has no text, but one error for each address. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(", ")
  return cause instanceof Error ? cause.message : String(cause)
}

const connect = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  let connected = false
  const context = yield* Layer.build(
    NodeRedis.layer({
      url: Redacted.value(url),
      // A command that cannot be sent immediately fails.
      disableOfflineQueue: true,
      commandsQueueMaxLength: 10_000,
      // Pings keep an idle connection open.
      pingInterval: silenceAtMost / 2,
      socket: {
        connectTimeout: silenceAtMost,
        socketTimeout: silenceAtMost,
        reconnectStrategy: (retries, cause) => (connected ? Math.min(50 * 2 ** retries, reconnectAtMost) : cause)
      }
    })
  ).pipe(
    Effect.mapError(({ cause }) => unavailable(cause)),
    Effect.catchDefect((defect) => Effect.fail(unavailable(defect))),
    // The client would log every attempt to connect again.
    Effect.provideService(References.MinimumLogLevel, "None")
  )
  connected = true
  const { client } = Context.get(context, NodeRedis.NodeRedis)
  // The layer's own finalizer waits for every pending reply, even from a server that never sends it.
  yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
  return yield* Effect.provideContext(RateLimiter.makeStoreRedis({ prefix }), context)
})

/** Counts in Redis, and with `fallback` while Redis does not answer, so that guessing of passwords stays limited. */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted, fallback: Count) {
  const store = yield* connect(url)
  let awayUntil = 0
  let warnAfter = 0

  const lost = Effect.fnUntraced(function* (cause: unknown) {
    const now = yield* Clock.currentTimeMillis
    awayUntil = now + pause
    if (now < warnAfter) return
    warnAfter = now + warnEvery
    yield* Effect.logWarning("Redis does not answer; this instance counts alone until Redis answers", cause)
  })

  /**
   * Does not store uses that alone exceed the limit, because the store accepts any number as the first use of a key.
   */
  const fixedWindow: Count = (use) => {
    if (use.limit === undefined || use.tokens <= use.limit) return store.fixedWindow(use)
    return Effect.map(store.fixedWindow({ ...use, tokens: 0 }), ([used, forgottenIn]) => [
      used + use.tokens,
      forgottenIn
    ])
  }

  const count: Count = (use) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now < awayUntil
        ? fallback(use)
        : fixedWindow(use).pipe(
            Effect.timeout(answersWithin),
            Effect.catch((cause) => Effect.andThen(lost(cause), fallback(use)))
          )
    )
  return count
})
