import { Array as Arr, Context, DateTime, Duration, Effect, Layer, Order } from "effect"
import * as BilledCall from "../provider/BilledCall.ts"
import { Providers } from "../provider/Providers.ts"
import { AskedRepo } from "./AskedRepo.ts"
import type { Tell } from "./Finding.ts"
import * as GatewayRecords from "./GatewayRecords.ts"
import { momentsAt } from "./OrderChecksRepo.ts"
import * as ProviderRecords from "./ProviderRecords.ts"
import { SnapshotRepo } from "./SnapshotRepo.ts"

/** Compares the records of money and proxies with each other and with those of the parties outside. It changes nothing. */
export class Reconciliation extends Context.Service<
  Reconciliation,
  {
    /**
     * What is under way is no difference, up to the deadlines that the service itself works by. `age`: of the payments
     * that gateways are asked about.
     */
    readonly run: (age: Duration.Duration, tell: Tell) => Effect.Effect<void>
  }
>()("app/reconciliation/Reconciliation") {
  static readonly layerNoDeps = Layer.effect(
    Reconciliation,
    Effect.gen(function* () {
      const snapshot = yield* SnapshotRepo
      const compareProviders = yield* ProviderRecords.make
      const compareGateways = yield* GatewayRecords.make
      const { all } = yield* Providers
      const deliveries = all.map(({ delivers_within }) => delivers_within ?? BilledCall.patience)
      const delivery = Arr.reduce(deliveries, BilledCall.patience, Order.max(Duration.Order))

      const run = Effect.fn("Reconciliation.run")(function* (age: Duration.Duration, tell: Tell) {
        yield* snapshot.compare(momentsAt(yield* DateTime.now, BilledCall.deadline, delivery), tell)
        yield* compareProviders(tell)
        yield* compareGateways(age, tell)
      })

      return Reconciliation.of({ run })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AskedRepo.layer, SnapshotRepo.layer]))
}
