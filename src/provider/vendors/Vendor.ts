import { Duration, type Effect } from "effect"
import type { ProviderProxy, ProvisionRequest, ProxyAccess } from "../ProxyProvider.ts"
import type { VendorFailure } from "./VendorFailure.ts"
import type { SoldPurchase, VendorPurchase } from "./VendorPurchase.ts"

/**
 * The relation of an order to a purchase. `yes`: the order belongs to it. `no`: a field of the order contradicts it.
 * `unclear`: the vendor shows too little to decide.
 */
export type Verdict = "yes" | "no" | "unclear"

/** An order in the vendor's lists that may belong to one of our purchases. */
export interface VendorOrder {
  readonly id: string
  /** Reads the order and returns a function that judges purchases against it. */
  readonly judge: Effect.Effect<(purchase: VendorPurchase) => Verdict, VendorFailure>
}

/** The pause between two reads of an undelivered purchase, and the maximum number of repeated reads. */
export interface Waiting {
  readonly every: Duration.Duration
  readonly times: number
}

/** Waiting and the call itself together take less than the 30 seconds of a billed call. */
export const shortWaiting: Waiting = { every: Duration.seconds(2), times: 5 }

export type Login = NonNullable<ProxyAccess["logins"]>[number]

/**
 * The delivered proxy of an order. `absent`: the vendor does not list the order (not yet, or no longer). `void`: the
 * vendor ended the order without a delivery. An order that is listed but incomplete fails with an unknown outcome.
 */
export type Delivery = ProviderProxy | "absent" | "void"

/**
 * A vendor that bills each order, accepts no idempotency key, and delivers some time after its answer. An adapter
 * implements it, and `VendorPurchases` buys from it.
 */
export interface Vendor {
  /** The name of the provider. */
  readonly name: string
  /** The longest time between a purchase and the moment when the vendor lists its order. */
  readonly settlesAfter: Duration.Duration
  readonly waiting: Waiting
  /** Returns the vendor's id of the requested article, and the id of its newest order where `ordersSince` needs it. */
  readonly prepare: (
    request: ProvisionRequest
  ) => Effect.Effect<{ readonly article: string; readonly mark: string }, VendorFailure>
  /**
   * Buys one proxy and returns the vendor's id of the order. Costs money. Runs `before` immediately before it sends the
   * call; when `before` fails, it sends nothing.
   */
  readonly buy: (
    wanted: Pick<VendorPurchase, "article" | "protocol">,
    before: Effect.Effect<void, VendorFailure>
  ) => Effect.Effect<string, VendorFailure>
  readonly read: (purchase: SoldPurchase) => Effect.Effect<Delivery, VendorFailure>
  /** Lists the vendor's orders since the purchase was requested, oldest first. */
  readonly ordersSince: (purchase: VendorPurchase) => Effect.Effect<ReadonlyArray<VendorOrder>, VendorFailure>
  /** Runs when the vendor first shows the proxy of a purchase. */
  readonly delivered: (purchase: SoldPurchase) => Effect.Effect<void>
  /** Replaces all logins and the whitelist of a proxy by this one login. */
  readonly lock: (purchase: SoldPurchase, proxy: ProviderProxy, login: Login) => Effect.Effect<void, VendorFailure>
}
