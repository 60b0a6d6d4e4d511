import { Schema } from "effect"

/** A request that a receiver got, and its time. */
const Arrival = Schema.Struct({
  order_id: Schema.String,
  occurred_at: Schema.String,
  attempt: Schema.Int,
  at: Schema.Finite
})
export type Arrival = typeof Arrival.Type

/** The ports that the receivers listen on. */
const Listening = Schema.Struct({ ports: Schema.Array(Schema.Int), hanging: Schema.Int })
export type Listening = typeof Listening.Type

/** Messages of the receivers: first their addresses, once, then the requests. */
export const Report = Schema.Union([Listening, Schema.Struct({ arrivals: Schema.Array(Arrival) })])

/** The same for every process of the machine. */
export const monotonicMillis = (): number => Number(process.hrtime.bigint()) / 1e6
