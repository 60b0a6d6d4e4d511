import { ProxyKind, SwitchableProtocol } from "../catalog/Offer.ts"
import { PaymentMethod } from "../orders/Order.ts"
import { OrderStatus } from "../orders/OrderStatus.ts"
import { Currency } from "../platform/Money.ts"

/** Lists of the values of a field, as resources for agents (docs/contract.md, "Tool server"). */
export interface Reference {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly values: ReadonlyArray<string>
}

const reference = (
  name: string,
  description: string,
  { literals }: { readonly literals: ReadonlyArray<string> }
): Reference => ({ uri: `ref://${name}`, name, description, values: literals })

export const references: ReadonlyArray<Reference> = [
  reference(
    "order-statuses",
    "Every `status` of an order. It is `new`, then `waiting_payment` until an outside payment arrives, then `paid`; `provisioned` means that the proxy can be used; the service refunds `provisioning_failed` automatically; `cancelled`, `refunded` and `expired` are final",
    OrderStatus
  ),
  reference("currencies", "The currencies of wallets: US dollars, and the messenger's stars, in whole units", Currency),
  reference(
    "proxy-types",
    "The protocols that a proxy can be switched to by change_proxy_protocol",
    SwitchableProtocol
  ),
  reference("offer-kinds", "The kinds of proxies on sale: the `kind` of list_offers", ProxyKind),
  reference(
    "payment-methods",
    "The payment methods of an order: `wallet` pays immediately; with the others a person pays at the payment_url of the answer",
    PaymentMethod
  )
]
