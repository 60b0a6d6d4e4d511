import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Text } from "../../platform/fields/Text.ts"
import type { ListName } from "../../staff/customers/CustomerRecord.ts"
import { CustomerRecords } from "../../staff/customers/CustomerRecords.ts"
import { Customers } from "../../staff/customers/Customers.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import { customerPage, recordsPage } from "./CustomerPage.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import { customersPage } from "./CustomersPage.ts"
import * as ReadCustomer from "../desk/ReadCustomer.ts"
import { recordLists } from "./RecordLists.ts"

const perPage = 50

const isQuery = Schema.is(Text(1, 255))
const isRecordId = Schema.is(Schema.String.check(Schema.isUUID()))

/** The search of customers, the page of one, and the lists of one. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const customers = yield* Customers
    const read = yield* ReadCustomer.make
    const records = yield* CustomerRecords
    const { pathTo, show } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("customers"),
      show(
        Effect.fnUntraced(function* (visit) {
          const query = visit.query.get("q")?.trim() ?? ""
          const found = yield* isQuery(query) ? customers.find(visit.actor, query) : Effect.succeed([])
          return customersPage(visit, query, query === "" ? undefined : found)
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("customers/:id"),
      show(
        Effect.fnUntraced(function* (visit) {
          return customerPage(visit, yield* read(visit.actor, yield* customerInPath))
        })
      )
    )

    const addList = <L extends ListName>(name: L) =>
      router.add(
        "GET",
        pathTo(`customers/:id/${name}`),
        show(
          Effect.fnUntraced(function* (visit) {
            const id = yield* customerInPath
            const after = visit.query.get("after")
            const { customer } = yield* customers.get(visit.actor, id)
            const part = yield* records[name](visit.actor, id, { limit: perPage, ...(isRecordId(after) && { after }) })
            return recordsPage(visit, customer, name, part)
          })
        )
      )
    yield* Effect.forEach(Object.keys(recordLists) as ReadonlyArray<ListName>, addList, { discard: true })
  })
)
