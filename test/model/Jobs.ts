import { Effect } from "effect"
import { AutoRenewalRepo } from "../../src/orders/changes/AutoRenewalRepo.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import * as Expiry from "../../src/orders/proxies/Expiry.ts"
import { ExpiryRepo } from "../../src/orders/proxies/ExpiryRepo.ts"
import { Provisioning } from "../../src/orders/provisioning/Provisioning.ts"
import { ProvisioningRepo } from "../../src/orders/provisioning/ProvisioningRepo.ts"
import * as ProvisioningSweep from "../../src/orders/provisioning/ProvisioningSweep.ts"
import { OrderPaymentsRepo } from "../../src/orders/checkout/OrderPaymentsRepo.ts"
import * as UnpaidOrderCleanup from "../../src/orders/checkout/UnpaidOrderCleanup.ts"
import * as ProxyChangeSettlement from "../../src/orders/changes/ProxyChangeSettlement.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import { PaymentSettlement } from "../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../src/wallet/payments/PaymentsRepo.ts"

/** What the service does by itself, once. */
export const jobs = Effect.all([
  PaymentExpiry.run,
  ProvisioningSweep.run,
  Expiry.run,
  AutoRenewal.run,
  ProxyChangeSettlement.run,
  UnpaidOrderCleanup.run
]).pipe(
  Effect.provide([
    AutoRenewalRepo.layer,
    ExpiryRepo.layer,
    OrderPaymentsRepo.layer,
    ProvisioningRepo.layer,
    ProxyChangesRepo.layer
  ]),
  Effect.provide([PaymentsRepo.layer, PaymentSettlement.layer, Provisioning.layer])
)
