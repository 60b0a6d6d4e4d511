import { DateTime, Schema, Struct } from "effect"
import * as Money from "../../platform/Money.ts"
import { EventKind, OrderEvent } from "./OrderEvent.ts"

const { actor, months, reason } = OrderEvent.fields

const Entry = Schema.Struct({
  kind: EventKind.annotate({
    description:
      "`not_delivered`: the provider did not deliver, and the money was returned. `change_failed`: the provider refused bought time or traffic, and the money was returned. `whitelist`, `credentials`, `protocol`, `signature`, `destinations`: these were changed; `rotated`: the exit address. `time_given`: support gave time at no charge. `replaced`: support gave another exit address and another login"
  }),
  occurred_at: Schema.String.annotate({ examples: ["2026-01-31T12:00:00.000Z"] }),
  actor: actor.annotate({
    description:
      "`session`: you in the browser. `api_key`, `oauth`: an API key or a connected app. `service`: the service itself, as for auto-renew. `owner`: one of your credentials that is not on record"
  }),
  actor_id: Schema.NullOr(Schema.String).annotate({
    description: "The id of the API key or of the app's client; null for others"
  }),
  actor_name: Schema.NullOr(Schema.String).annotate({
    description: "The name of the API key or of the app; null for others, and after it was removed",
    examples: ["Nightly crawler"]
  }),
  months: months.annotate({ description: "Calendar months of an extension", examples: [1] }),
  added_gb: Schema.NullOr(Schema.Finite).annotate({ description: "Bought traffic in GB (10^9 bytes)", examples: [10] }),
  amount: Schema.NullOr(Schema.Finite).annotate({
    description: "The price, or the money that was returned, in `currency`",
    examples: [1.5]
  }),
  currency: OrderEvent.fields.currency,
  reason: reason.annotate({
    description:
      "The reason of `renewal_failed` and of `change_failed`. `balance`: the wallet could not pay. `stopped`: purchases are stopped. `not_sold`: the offer is not sold any more. `not_now`: another reason that may pass. `not_shown`: a paid renewal is missing at the provider. `provider_refused`, `provider_down`: the provider said no, or did not answer"
  })
}).annotate({ identifier: "OrderHistoryEntry" })

export const OrderHistoryView = Schema.Struct({
  history: Schema.Array(Entry),
  total: Schema.Int.annotate({ description: "The number of all entries", examples: [3] }),
  limit: Schema.Int.annotate({ examples: [50] }),
  offset: Schema.Int.annotate({ examples: [0] })
}).annotate({ identifier: "OrderHistory" })

export const orderHistoryEntry = ({ occurred_at, total, ...event }: OrderEvent): typeof Entry.Type => ({
  ...Struct.pick(event, ["kind", "actor", "actor_id", "actor_name", "months", "added_gb", "currency", "reason"]),
  occurred_at: DateTime.formatIso(occurred_at),
  amount: total === null || event.currency === null ? null : Money.toNumber(event.currency, total)
})
