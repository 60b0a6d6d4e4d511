import { Effect, Schema } from "effect"
import type { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { Text } from "../../platform/fields/Text.ts"
import type { Page } from "../../pages/Layout.ts"
import { needs } from "../../staff/Actor.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import { Customers } from "../../staff/customers/Customers.ts"
import type { Permission } from "../../staff/Permissions.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import type { Typed } from "../desk/MoneyFields.ts"
import * as ReadCustomer from "../desk/ReadCustomer.ts"
import { customerPage } from "./CustomerPage.ts"

type Write = (visit: AdminVisit, whole: WholeCustomer, key: string, typed?: Typed) => Page

/** The fields of a form that asks for a reason, and their messages. */
export const withReason = {
  fields: Schema.Struct({ reason: Text(3, 500), key: Nonce }),
  messages: { reason: text("restriction.reason_wrong"), key: text("form.not_confirmed") }
}

/** Makes the parts that the forms about one customer share. */
export const make = Effect.gen(function* () {
  const customers = yield* Customers
  const read = yield* ReadCustomer.make
  const { pathTo, show } = yield* AdminPages

  /** Adds the page of a form, which only those see who may send it. Returns its path, and how it is shown again. */
  const page = Effect.fnUntraced(function* (
    router: HttpRouter.HttpRouter,
    name: string,
    permission: Permission,
    write: Write
  ) {
    const path = pathTo(`customers/:id/${name}`)
    const shown = Effect.fnUntraced(function* (visit: AdminVisit, typed: Typed = {}) {
      yield* needs(visit.actor, permission)
      return write(visit, yield* customers.get(visit.actor, yield* customerInPath), randomUUID(), typed)
    })
    yield* router.add(
      "GET",
      path,
      show((visit) => shown(visit))
    )
    const again = (visit: AdminVisit, faults: Faults, { field }: { readonly field: NonNullable<Typed["field"]> }) =>
      shown(visit, { faults, field })
    return { path, again }
  })

  /** The page of the customer, with what happened. */
  const customer = Effect.fnUntraced(function* (visit: AdminVisit, outcome: Parameters<typeof customerPage>[2]) {
    return customerPage(visit, yield* read(visit.actor, yield* customerInPath), outcome)
  })

  return { page, customer }
})
