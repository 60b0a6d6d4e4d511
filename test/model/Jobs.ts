import { Effect } from "effect"
import { AutoRenewalRepo } from "../../src/orders/changes/AutoRenewalRepo.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import * as Expiry from "../../src/orders/proxies/Expiry.ts"
import { ExpiryRepo } from "../../src/orders/proxies/ExpiryRepo.ts"
import { Provisioning } from "../../src/orders/provisioning/Provisioning.ts"
import { ProvisioningRepo } from "../../src/orders/provisioning/ProvisioningRepo.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import { ProxyHold } from "../../src/orders/proxies/ProxyHold.ts"
import { OrderPaymentsRepo } from "../../src/orders/checkout/OrderPaymentsRepo.ts"
import * as UnpaidOrderCleanup from "../../src/orders/checkout/UnpaidOrderCleanup.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import { AutoTopUpOutcomes } from "../../src/wallet/auto-top-up/AutoTopUpOutcomes.ts"
import * as AutoTopUpRounds from "../../src/wallet/payments/AutoTopUpRounds.ts"
import * as CardPaymentLookUps from "../../src/wallet/payments/CardPaymentLookUps.ts"
import { CardPaymentsRepo } from "../../src/wallet/payments/CardPaymentsRepo.ts"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import { PaymentSettlement } from "../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../src/wallet/payments/PaymentsRepo.ts"

/** Runs every background job of the service once. */
export const jobs = Effect.all([
  PaymentExpiry.run,
  ProvisioningRecovery.run,
  Expiry.run,
  AutoRenewal.run,
  ProxyChangeRecovery.run,
  UnpaidOrderCleanup.run,
  CardPaymentLookUps.run,
  AutoTopUpRounds.run
]).pipe(
  Effect.provide([
    AutoRenewalRepo.layer,
    AutoTopUpOutcomes.layer,
    CardPaymentsRepo.layer,
    ExpiryRepo.layer,
    OrderPaymentsRepo.layer,
    ProvisioningRepo.layer,
    ProxyChangesRepo.layer,
    ProxyHold.layer
  ]),
  Effect.provide([PaymentsRepo.layer, PaymentSettlement.layer, Provisioning.layer])
)
