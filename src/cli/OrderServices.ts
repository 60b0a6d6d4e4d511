import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { Flags } from "../flags/Flags.ts"
import { Notifications } from "../notifications/Notifications.ts"
import * as OrderPayments from "../orders/checkout/OrderPayments.ts"
import * as Database from "../platform/postgres/Database.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import { StaffOrders } from "../staff/orders/StaffOrders.ts"
import { StaffOrderWork } from "../staff/orders/StaffOrderWork.ts"
import { StaffPayments } from "../staff/payments/StaffPayments.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import { PromoCodes } from "../wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../wallet/Wallets.ts"

/** The services of orders and payments, with the providers and the payment gateways of the settings. */
export const layer = Layer.mergeAll(StaffOrders.layer, StaffOrderWork.layer, StaffPayments.layer).pipe(
  Layer.provide(OrderPayments.layer),
  Layer.provide([Catalog.layer, Notifications.layer, PromoCodes.layer, Wallets.layer]),
  Layer.provide(Flags.layer),
  Layer.provide([ConfiguredProviders.layer, PaymentGateways.layerOutside]),
  Layer.provideMerge(Database.layerPresent),
  Layer.provide([Addresses.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp])
)
