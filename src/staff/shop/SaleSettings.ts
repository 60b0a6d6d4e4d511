import { Effect } from "effect"
import * as AcceptedChecks from "../../doctor/AcceptedChecks.ts"
import { ownAddresses } from "../../gateway/ExitAddresses.ts"
import { GatewayHost } from "../../platform/settings/GatewayHost.ts"
import { Names } from "../../provider/adapters/ConfiguredProviders.ts"
import * as RealMoney from "../../wallet/RealMoney.ts"

/** The settings of this process that decide what may be sold. The service may run with others than a command. */
export const load = Effect.gen(function* () {
  // Settings of a payment gateway that cannot be read mean that money is to be taken.
  const takers = yield* Effect.orElseSucceed(RealMoney.gateways, () => ["unreadable"])
  const host = yield* GatewayHost
  return {
    isSelling: (yield* Names).includes("gateway"),
    takesRealMoney: takers.length > 0,
    accepted: yield* AcceptedChecks.load,
    own: ownAddresses(host),
    host
  }
})
