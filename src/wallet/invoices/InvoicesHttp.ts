import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { Invoices } from "./Invoices.ts"
import { invoiceView } from "./InvoicesApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fnUntraced(function* (handlers) {
    const invoices = yield* Invoices

    return handlers.handleAll({
      listInvoices: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        const { invoices: listed, total } = yield* invoices.list(user_id, query)
        return { invoices: listed.map(invoiceView), total, ...query }
      }),
      getInvoice: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return invoiceView(yield* invoices.get(user_id, params.number))
      })
    })
  })
)
