import { Context, Effect, Layer, Option } from "effect"
import type { Restriction } from "../../accounts/restrictions/Restriction.ts"
import { Restrictions } from "../../accounts/restrictions/Restrictions.ts"
import type { UserId } from "../../accounts/User.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import type { FoundCustomer, WholeCustomer } from "./Customer.ts"
import { CustomerNotFound } from "./CustomerErrors.ts"
import * as CustomerQuery from "./CustomerQuery.ts"
import { CustomersRepo } from "./CustomersRepo.ts"
import { masked } from "./CustomerView.ts"

const foundAtMost = 20
const restrictionsAtMost = 20

/** The customers, for staff. Hides names and addresses from those who may not identify customers. */
export class Customers extends Context.Service<
  Customers,
  {
    /** Finds at most 20 customers by an id, a mail address, `ip:port` or a charge (`CustomerQuery`). */
    readonly find: (
      actor: Actor["Service"],
      query: string
    ) => Effect.Effect<ReadonlyArray<FoundCustomer>, PermissionNeeded>
    readonly get: (
      actor: Actor["Service"],
      id: UserId
    ) => Effect.Effect<WholeCustomer, CustomerNotFound | PermissionNeeded>
    /** Newest first. */
    readonly restrictions: (
      actor: Actor["Service"],
      id: UserId,
      keyset: Keyset.Keyset
    ) => Effect.Effect<
      { readonly items: ReadonlyArray<Restriction>; readonly next: string | null },
      CustomerNotFound | PermissionNeeded
    >
  }
>()("app/staff/Customers") {
  static readonly layerNoDeps = Layer.effect(
    Customers,
    Effect.gen(function* () {
      const repo = yield* CustomersRepo
      const restrictions = yield* Restrictions

      const known = Effect.fnUntraced(function* (id: UserId) {
        const found = yield* repo.get(id)
        return Option.isSome(found) ? found.value : yield* new CustomerNotFound()
      })

      const find = Effect.fn("Customers.find")(function* (actor: Actor["Service"], query: string) {
        yield* needs(actor, "customer.read")
        const found = yield* repo.find(CustomerQuery.parse(query.trim()), foundAtMost)
        return may(actor, "customer.identify") ? found : found.map(masked)
      })

      const get = Effect.fn("Customers.get")(function* (actor: Actor["Service"], id: UserId) {
        yield* needs(actor, "customer.read")
        const customer = yield* known(id)
        return {
          customer: may(actor, "customer.identify") ? customer : masked(customer),
          wallets: yield* repo.wallets(id),
          restrictions: yield* restrictions.openFirst(id, restrictionsAtMost)
        }
      })

      const listed = Effect.fn("Customers.restrictions")(function* (
        actor: Actor["Service"],
        id: UserId,
        { after, limit }: Keyset.Keyset
      ) {
        yield* needs(actor, "restriction.read")
        yield* known(id)
        return Keyset.pageOf(yield* restrictions.list(id, { limit: limit + 1, ...(after && { after }) }), limit)
      })

      return Customers.of({ find, get, restrictions: listed })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([CustomersRepo.layer, Restrictions.layer]))
}
