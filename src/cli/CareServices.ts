import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import * as BrandFolder from "../brand/BrandFolder.ts"
import { Blocklists } from "../ip-check/blocklists/Blocklists.ts"
import { IpVendors } from "../ip-check/vendors/IpVendors.ts"
import * as Database from "../platform/postgres/Database.ts"
import { Mailer } from "../platform/mail/Mailer.ts"
import { OutboundHttp } from "../platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import * as Services from "../Services.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"

/** The services of the whole service, because the export of an account reads through many of them. */
export const layer = Layer.merge(Services.layer, AccountLookUp.layer).pipe(
  Layer.provide([Blocklists.layer, IpVendors.layer, Mailer.layer, OutboundHttp.layer, PaymentGateways.layerOutside]),
  Layer.provide([ConfiguredProviders.layer, RateLimit.layer]),
  Layer.provide(BrandFolder.layer),
  Layer.provide(Database.layerPresent),
  Layer.provide([Addresses.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp])
)
