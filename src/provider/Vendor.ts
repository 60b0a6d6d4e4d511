import type { Duration, Effect } from "effect"
import type { ProviderProxy, ProvisionRequest, ProxyAccess } from "./ProxyProvider.ts"
import type { VendorFault } from "./VendorFault.ts"
import type { VendorPurchase } from "./VendorPurchasesRepo.ts"

/** `no` only when something that the vendor says of an order rules the purchase out. */
export type Verdict = "yes" | "no" | "unclear"

/** An order at the vendor that may be one of ours. */
interface VendorOrder {
  readonly id: string
  /** Whether it can be what a purchase bought. */
  readonly judge: Effect.Effect<(purchase: VendorPurchase) => Verdict, VendorFault>
}

/** How often, at the most, what was bought is asked for again, and after what pauses. */
export interface Waiting {
  readonly every: Duration.Duration
  readonly times: number
}

/** A purchase whose order at the vendor is known. */
export interface Sold extends VendorPurchase {
  readonly vendor_order_id: string
}

export type Login = NonNullable<ProxyAccess["logins"]>[number]

/**
 * What there is of an order: `absent`: the vendor knows nothing of it (yet, or any more); `void`: it came to nothing.
 * One that is there and cannot be read fails.
 */
export type Delivery = ProviderProxy | "absent" | "void"

/** A vendor that bills by order, has no idempotency key, and delivers some time after it has answered. */
export interface Vendor {
  readonly name: string
  /** How long after a call at the latest its order is in the vendor's lists. */
  readonly settlesAfter: Duration.Duration
  readonly waiting: Waiting
  /** The vendor's name for what is bought, and its newest order. */
  readonly prepare: (
    request: ProvisionRequest
  ) => Effect.Effect<{ readonly article: string; readonly mark: string }, VendorFault>
  /** Buys one; answers the vendor's order. `before` runs right before the call is sent. */
  readonly buy: (
    wanted: Pick<VendorPurchase, "article" | "protocol">,
    before: Effect.Effect<void, VendorFault>
  ) => Effect.Effect<string, VendorFault>
  readonly read: (purchase: Sold) => Effect.Effect<Delivery, VendorFault>
  /** The orders placed since the purchase was requested, the oldest first. */
  readonly ordersSince: (purchase: VendorPurchase) => Effect.Effect<ReadonlyArray<VendorOrder>, VendorFault>
  /** Called when the proxy of a purchase is first seen. */
  readonly delivered: (purchase: Sold) => Effect.Effect<void>
  /** Lets nobody use a proxy but by this login. */
  readonly lock: (purchase: Sold, proxy: ProviderProxy, login: Login) => Effect.Effect<void, VendorFault>
}
