import { Effect } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { ActedBy } from "../ActedBy.ts"
import { type CareRefused, OrderCare } from "../care/OrderCare.ts"
import type { Claim } from "../changes/GiveChange.ts"
import type { ProxyChangeId } from "../changes/ProxyChange.ts"
import type { Order, OrderId } from "../Order.ts"
import type { OrderNotFound } from "../OrderErrors.ts"
import {
  OperationUnsupported,
  type ProviderDown,
  type ProxyBusy,
  type ProxyNotLive,
  ProxyStopped,
  WrongProxyKind
} from "../proxies/ProxyErrors.ts"
import { ProxyChecks } from "./ProxyChecks.ts"
import { NoAddressLeft, NotFailing } from "./ReplacementErrors.ts"

export type ClaimRefused =
  | OrderNotFound
  | ProxyNotLive
  | ProxyStopped
  | ProxyBusy
  | ProviderDown
  | WrongProxyKind
  | OperationUnsupported
  | NotFailing
  | NoAddressLeft

const refusals = {
  mobile: () => new WrongProxyKind({ detail: "A mobile rotating proxy is not replaced: reset it instead" }),
  not_offered: () => new OperationUnsupported(),
  not_failing: () => new NotFailing({ details: {} })
}

/** A refusal in the words for customers. The others are of other work than replacements. */
const forCustomer = (refused: CareRefused | ClaimRefused): Effect.Effect<never, ClaimRefused> => {
  switch (refused._tag) {
    case "OwnerStopped":
      return Effect.fail(new ProxyStopped({ details: {} }))
    case "CannotReplace":
      return Effect.fail(new OperationUnsupported())
    case "NoOtherAddress":
      return Effect.fail(new NoAddressLeft({ details: {} }))
    case "OrderNotFound":
    case "ProxyNotLive":
    case "ProxyStopped":
    case "ProxyBusy":
    case "ProviderDown":
    case "WrongProxyKind":
    case "OperationUnsupported":
    case "NotFailing":
    case "NoAddressLeft":
      return Effect.fail(refused)
    default:
      return Effect.die(refused)
  }
}

/** Claims replacements under the warranty: each is recorded as a proxy change in one transaction, and made afterwards. */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const care = yield* OrderCare
  const checks = yield* ProxyChecks

  const agree = Effect.fnUntraced(function* (order: Order): Effect.fn.Return<Claim["reason"], ClaimRefused> {
    const { reason } = yield* checks.terms(order)
    return reason === "failing" || reason === "first_day" ? reason : yield* refusals[reason]()
  })

  const read = Effect.fnUntraced(function* (id: OrderId): Effect.fn.Return<Order, ClaimRefused> {
    const { order, refusals } = yield* care.read(id)
    return refusals.replace === undefined ? order : yield* forCustomer(refusals.replace)
  })

  return {
    /** The term by which a replacement is free now. */
    preview: (id: OrderId) => Effect.flatMap(read(id), agree),

    /** Fails when no other address is free for a proxy. */
    inStock: (id: OrderId) => Effect.asVoid(read(id)),

    /** Records the replacement in one transaction. */
    claim: (id: OrderId, change: ProxyChangeId, by: ActedBy): Effect.Effect<void, ClaimRefused> =>
      Effect.catch(atomically(care.claim(id, { id: change, by }, agree)), forCustomer)
  }
})
