import { Effect } from "effect"
import type { PaymentGateway, RawCallback } from "../../../src/wallet/gateways/PaymentGateway.ts"

/** The events that a genuine call reports. */
export const verify = (gateway: PaymentGateway, call: RawCallback) => Effect.flatten(gateway.authenticate(call))
