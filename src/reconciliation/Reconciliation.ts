import { Array as Arr, Context, DateTime, Duration, Effect, Layer, Order } from "effect"
import * as BilledCall from "../provider/BilledCall.ts"
import { Providers } from "../provider/Providers.ts"
import { OutsideRecordsRepo } from "./OutsideRecordsRepo.ts"
import type { Report } from "./Finding.ts"
import * as CompareGateways from "./CompareGateways.ts"
import { momentsAt } from "./OrderChecksRepo.ts"
import * as CompareProviders from "./CompareProviders.ts"
import { SnapshotRepo } from "./SnapshotRepo.ts"

/**
 * Compares the records of money and proxies with each other, and with those of providers and gateways. It is read-only.
 */
export class Reconciliation extends Context.Service<
  Reconciliation,
  {
    /**
     * Work in progress is not reported as a difference until the service's own deadlines have passed. `age` is the age
     * of the oldest payment that is looked up at its gateway.
     */
    readonly run: (age: Duration.Duration, report: Report) => Effect.Effect<void>
  }
>()("app/reconciliation/Reconciliation") {
  static readonly layerNoDeps = Layer.effect(
    Reconciliation,
    Effect.gen(function* () {
      const snapshot = yield* SnapshotRepo
      const compareProviders = yield* CompareProviders.make
      const compareGateways = yield* CompareGateways.make
      const { all } = yield* Providers
      const deliveries = all.map(({ delivers_within }) => delivers_within ?? BilledCall.patience)
      const delivery = Arr.reduce(deliveries, BilledCall.patience, Order.max(Duration.Order))

      const run = Effect.fn("Reconciliation.run")(function* (age: Duration.Duration, report: Report) {
        yield* snapshot.compare(momentsAt(yield* DateTime.now, BilledCall.deadline, delivery), report)
        yield* compareProviders(report)
        yield* compareGateways(age, report)
      })

      return Reconciliation.of({ run })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OutsideRecordsRepo.layer, SnapshotRepo.layer]))
}
