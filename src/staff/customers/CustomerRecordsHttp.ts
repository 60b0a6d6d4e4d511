import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import type { UserId } from "../../accounts/User.ts"
import { Actor } from "../Actor.ts"
import type { Keyset } from "../Keyset.ts"
import { CustomerRecords, type Part } from "./CustomerRecords.ts"
import { entryView, keyView, orderView, paymentView } from "./CustomerRecordView.ts"

interface Asked {
  readonly params: { readonly customer_id: UserId }
  readonly query: Keyset
}

/** Makes the handler of a list. */
const handler =
  <A, E, B = A>(
    list: (actor: Actor["Service"], id: UserId, keyset: Keyset) => Effect.Effect<Part<A>, E>,
    view: (item: A) => B
  ) =>
  ({ params, query }: Asked) =>
    Effect.flatMap(Actor, (actor) =>
      Effect.map(list(actor, params.customer_id, query), ({ items, next }) => ({ items: items.map(view), next }))
    )

const same = <A>(item: A): A => item

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminCustomerRecords",
  Effect.fnUntraced(function* (handlers) {
    const records = yield* CustomerRecords
    return handlers.handleAll({
      listCustomerOrders: handler(records.orders, orderView),
      listCustomerTransactions: handler(records.entries, entryView),
      listCustomerPayments: handler(records.payments, paymentView),
      listCustomerKeys: handler(records.keys, keyView),
      listCustomerSessions: handler(records.sessions, same),
      listCustomerConnections: handler(records.apps, same),
      listCustomerNotices: handler(records.notices, same),
      listCustomerNotes: handler(records.notes, same),
      listCustomerMails: handler(records.mails, same)
    })
  })
)
