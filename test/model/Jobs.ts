import { Effect } from "effect"
import { AutoRenewalRepo } from "../../src/orders/AutoRenewalRepo.ts"
import * as AutoRenewal from "../../src/orders/AutoRenewal.ts"
import * as Expiry from "../../src/orders/Expiry.ts"
import { ExpiryRepo } from "../../src/orders/ExpiryRepo.ts"
import { Provisioning } from "../../src/orders/Provisioning.ts"
import { ProvisioningRepo } from "../../src/orders/ProvisioningRepo.ts"
import * as ProvisioningSweep from "../../src/orders/ProvisioningSweep.ts"
import { OrderPaymentsRepo } from "../../src/orders/OrderPaymentsRepo.ts"
import * as UnpaidOrderCleanup from "../../src/orders/UnpaidOrderCleanup.ts"
import * as ProxyChangeSettlement from "../../src/orders/ProxyChangeSettlement.ts"
import { ProxyChangesRepo } from "../../src/orders/ProxyChangesRepo.ts"
import * as PaymentExpiry from "../../src/wallet/PaymentExpiry.ts"
import { PaymentSettlement } from "../../src/wallet/PaymentSettlement.ts"
import { PaymentsRepo } from "../../src/wallet/PaymentsRepo.ts"

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
