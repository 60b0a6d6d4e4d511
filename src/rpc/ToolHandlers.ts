import { Layer } from "effect"
import * as AccountToolHandlers from "./AccountToolHandlers.ts"
import * as CatalogToolHandlers from "./CatalogToolHandlers.ts"
import * as IpCheckToolHandlers from "./IpCheckToolHandlers.ts"
import * as ManagementToolHandlers from "./ManagementToolHandlers.ts"
import * as MobileToolHandlers from "./MobileToolHandlers.ts"
import * as OrderToolHandlers from "./OrderToolHandlers.ts"
import * as ProxyToolHandlers from "./ProxyToolHandlers.ts"
import * as PurchaseToolHandlers from "./PurchaseToolHandlers.ts"
import * as WalletToolHandlers from "./WalletToolHandlers.ts"
import * as WarrantyToolHandlers from "./WarrantyToolHandlers.ts"
import * as WebhookDeliveryToolHandlers from "./WebhookDeliveryToolHandlers.ts"
import * as WebhookToolHandlers from "./WebhookToolHandlers.ts"

/** The handlers of all tools. They call the services of the REST API. */
export const layer = Layer.mergeAll(
  AccountToolHandlers.layer,
  CatalogToolHandlers.layer,
  IpCheckToolHandlers.layer,
  ManagementToolHandlers.layer,
  MobileToolHandlers.layer,
  OrderToolHandlers.layer,
  ProxyToolHandlers.layer,
  PurchaseToolHandlers.layer,
  WalletToolHandlers.layer,
  WarrantyToolHandlers.layer,
  WebhookDeliveryToolHandlers.layer,
  WebhookToolHandlers.layer
)
