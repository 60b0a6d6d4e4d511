import { AccountTools } from "./AccountTools.ts"
import { CatalogTools } from "./CatalogTools.ts"
import { IpCheckTools } from "./IpCheckTools.ts"
import { ManagementTools } from "./ManagementTools.ts"
import { MobileTools } from "./MobileTools.ts"
import { OrderTools } from "./OrderTools.ts"
import { ProxyTools } from "./ProxyTools.ts"
import { PurchaseTools } from "./PurchaseTools.ts"
import { WalletTools } from "./WalletTools.ts"
import { WarrantyTools } from "./WarrantyTools.ts"
import { WebhookDeliveryTools } from "./WebhookDeliveryTools.ts"
import { WebhookTools } from "./WebhookTools.ts"

/** The sixteen tools for every credential, each with the scope that it needs (docs/contract.md, "Tool server"). */
export const documented = CatalogTools.merge(OrderTools, ProxyTools, WalletTools)

/** The tools for unrestricted API keys: the rest of the REST API (docs/contract.md, "Tool server"). */
export const further = PurchaseTools.merge(
  ManagementTools,
  MobileTools,
  IpCheckTools,
  WarrantyTools,
  WebhookTools,
  WebhookDeliveryTools,
  AccountTools
)

export const all = documented.merge(further)
