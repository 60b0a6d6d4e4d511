import { Layer } from "effect"
import * as EmailDelivery from "./accounts/EmailDelivery.ts"
import * as SessionCleanup from "./accounts/SessionCleanup.ts"
import * as CatalogSync from "./catalog/CatalogSync.ts"
import * as IdempotencyCleanup from "./idempotency/IdempotencyCleanup.ts"
import * as Expiry from "./orders/Expiry.ts"
import * as OrphanRelease from "./orders/OrphanRelease.ts"
import * as ProvisioningSweep from "./orders/ProvisioningSweep.ts"
import * as PaymentExpiry from "./wallet/PaymentExpiry.ts"

/** Everything that runs in the background. */
export const layer = Layer.mergeAll(
  CatalogSync.layer,
  EmailDelivery.layer,
  Expiry.layer,
  IdempotencyCleanup.layer,
  OrphanRelease.layer,
  PaymentExpiry.layer,
  ProvisioningSweep.layer,
  SessionCleanup.layer
)
