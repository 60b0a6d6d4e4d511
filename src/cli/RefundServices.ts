import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { Notifications } from "../notifications/Notifications.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Database from "../platform/postgres/Database.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import { StaffRefunds } from "../staff/money/StaffRefunds.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import { PromoCodes } from "../wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../wallet/Wallets.ts"

/** The services of refunds, with the providers and the payment gateways of the settings. */
export const layer = StaffRefunds.layer.pipe(
  Layer.provide([Notifications.layer, PromoCodes.layer, Wallets.layer]),
  Layer.provide([ConfiguredProviders.layer, PaymentGateways.layerOutside]),
  Layer.provideMerge(Database.layerPresent),
  Layer.provide([Addresses.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp])
)
