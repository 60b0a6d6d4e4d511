import { Deferred, Effect, Schema } from "effect"
import { start } from "./ChildProgram.ts"
import { type Arrival, type Listening, Report } from "./WebhookArrivals.ts"

/** Identifies an event in this benchmark: a proxy changes at most once in a millisecond. */
export const keyOf = (order_id: string, occurred_at: string) => `${order_id} ${occurred_at}`

/** The receivers: their addresses and their requests. */
export const receivers = Effect.gen(function* () {
  const listening = Deferred.makeUnsafe<Listening>()
  const firsts = new Map<string, number>()
  const retries: Array<Arrival> = []
  const note = (arrival: Arrival) => {
    const key = keyOf(arrival.order_id, arrival.occurred_at)
    if (arrival.attempt > 1) retries.push(arrival)
    else if (!firsts.has(key)) firsts.set(key, arrival.at)
  }
  yield* start(new URL("./WebhookReceivers.ts", import.meta.url), {}, (message) => {
    const report = Schema.decodeUnknownSync(Report)(message)
    if ("arrivals" in report) report.arrivals.forEach(note)
    else Deferred.doneUnsafe(listening, Effect.succeed(report))
  })
  return {
    ...(yield* Deferred.await(listening)),
    /** The time when the first attempt for an event arrived. */
    firstAt: (key: string) => firsts.get(key),
    /** Every later attempt. */
    retries: (order_id: string): ReadonlyArray<Arrival> => retries.filter((arrival) => arrival.order_id === order_id)
  }
})

const Usage = Schema.Struct({ user: Schema.Finite, system: Schema.Finite })

/** The part of the service that sends webhooks. */
export const service = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  let asked = Deferred.makeUnsafe<number>()
  const child = yield* start(new URL("./WebhookService.ts", import.meta.url), env, (message) => {
    const { system, user } = Schema.decodeUnknownSync(Usage)(message)
    Deferred.doneUnsafe(asked, Effect.succeed((user + system) / 1000))
  })
  /** The processor time of the process so far, in milliseconds. */
  const usage = Effect.suspend(() => {
    asked = Deferred.makeUnsafe<number>()
    child.send("usage")
    return Deferred.await(asked)
  })
  return { usage }
})
