import { Schema } from "effect"

/** What a receiver got, and when. */
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

/** What the receivers tell: where they are, once, and then what they get. */
export const Report = Schema.Union([Listening, Schema.Struct({ arrivals: Schema.Array(Arrival) })])

/** The same for every process of the machine. */
export const monotonicMillis = (): number => Number(process.hrtime.bigint()) / 1e6
