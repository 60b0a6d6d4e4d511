import { ProxyKind, SwitchableProtocol } from "../catalog/Offer.ts"
import { PaymentMethod } from "../orders/Order.ts"
import { OrderStatus } from "../orders/OrderStatus.ts"
import { Currency } from "../platform/Money.ts"

/** The values that a field can have, which an agent can read (specification section 4.12). */
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
    "Every `status` of an order. It is `new`, then `waiting_payment` until an outside payment arrives, then `paid`; `provisioned` means that the proxy can be used; `provisioning_failed` is refunded by itself; `cancelled`, `refunded` and `expired` are ends",
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
    "How an order can be paid: `wallet` takes the money at once, the others answer a payment_url for a person to open",
    PaymentMethod
  )
]
