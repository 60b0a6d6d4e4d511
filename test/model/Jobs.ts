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
import * as RestrictionRounds from "../../src/orders/checkout/RestrictionRounds.ts"
import { RestrictionRoundsRepo } from "../../src/orders/checkout/RestrictionRoundsRepo.ts"
import * as AccountClosure from "../../src/orders/proxies/AccountClosure.ts"
import { AccountClosureRepo } from "../../src/orders/proxies/AccountClosureRepo.ts"
import * as BanEnd from "../../src/orders/proxies/BanEnd.ts"
import { LiveProxies } from "../../src/orders/proxies/LiveProxies.ts"
import { ProxyEnd } from "../../src/orders/proxies/ProxyEnd.ts"
import * as ProxyStops from "../../src/orders/proxies/ProxyStops.ts"
import { ProxyStopsRepo } from "../../src/orders/proxies/ProxyStopsRepo.ts"
import { ProxySync } from "../../src/orders/proxies/ProxySync.ts"
import { AutoTopUpOutcomes } from "../../src/wallet/auto-top-up/AutoTopUpOutcomes.ts"
import * as AutoTopUpRounds from "../../src/wallet/payments/AutoTopUpRounds.ts"
import * as CardPaymentLookUps from "../../src/wallet/payments/CardPaymentLookUps.ts"
import { CardPaymentsRepo } from "../../src/wallet/payments/CardPaymentsRepo.ts"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import { PaymentSettlement } from "../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../src/wallet/payments/PaymentsRepo.ts"

/** Runs the jobs that follow a restriction. */
export const jobsOfRestrictions = Effect.all([RestrictionRounds.run, ProxyStops.run]).pipe(
  Effect.provide([
    LiveProxies.layer,
    ProxyHold.layer,
    ProxyStopsRepo.layer,
    ProxySync.layer,
    RestrictionRoundsRepo.layer
  ])
)

/** Ends the proxies of accounts that stay banned. */
const closing = Effect.all([BanEnd.run, AccountClosure.run]).pipe(
  Effect.provide([AccountClosureRepo.layer, LiveProxies.layer, ProxyEnd.layer, ProxyHold.layer])
)

/** Runs every background job of the service once. */
export const jobs = Effect.all([
  PaymentExpiry.run,
  ProvisioningRecovery.run,
  Expiry.run,
  AutoRenewal.run,
  ProxyChangeRecovery.run,
  UnpaidOrderCleanup.run,
  jobsOfRestrictions,
  closing,
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
