import type { Currency } from "../../platform/Money.ts"
import type { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { currencyOf, PaymentMethod } from "../PaymentMethod.ts"

/** A payment method that is switched on. */
export interface OfferedMethod {
  readonly payment_method: PaymentMethod
  readonly currency: Currency
  /** The smallest amount that its gateway accepts, in the unit of the currency. */
  readonly minimum: bigint
}

/** Lists the payment methods that are switched on. */
export const offeredMethods = (gateways: PaymentGateways["Service"]): ReadonlyArray<OfferedMethod> =>
  PaymentMethod.literals.flatMap((payment_method) => {
    const gateway = gateways.get(payment_method)
    return gateway === undefined
      ? []
      : [{ payment_method, currency: currencyOf(payment_method), minimum: gateway.minimum ?? 0n }]
  })
