import { AccountTools } from "./AccountTools.ts"
import { CatalogTools } from "./CatalogTools.ts"
import { IpCheckTools } from "./IpCheckTools.ts"
import { MobileTools } from "./MobileTools.ts"
import { OrderTools } from "./OrderTools.ts"
import { ProxyTools } from "./ProxyTools.ts"
import { PurchaseTools } from "./PurchaseTools.ts"
import { WalletTools } from "./WalletTools.ts"
import { WebhookDeliveryTools } from "./WebhookDeliveryTools.ts"
import { WebhookTools } from "./WebhookTools.ts"

/** The sixteen tools of specification section 4.12, each with the scope that it needs. */
export const documented = CatalogTools.merge(OrderTools, ProxyTools, WalletTools)

/** The rest of what API keys may do, for keys without a scope restriction (decisions section 10). */
export const further = PurchaseTools.merge(MobileTools, IpCheckTools, WebhookTools, WebhookDeliveryTools, AccountTools)

export const all = documented.merge(further)
