import { NodeHttpClient } from "@effect/platform-node"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { ProvisionRequest } from "../../../src/provider/ProxyProvider.ts"
import { AskedPrices } from "../../../src/provider/vendors/AskedPrices.ts"
import { VendorPurchases } from "../../../src/provider/vendors/VendorPurchases.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

/** The services that adapters of vendors need. */
export const layer = Layer.mergeAll(AskedPrices.layer, VendorPurchases.layer, NodeHttpClient.layerNodeHttp).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

/** Requests one month of a static datacenter proxy, with a new reference. */
export const request = (fields: Partial<ProvisionRequest> = {}): ProvisionRequest => ({
  reference: randomUUID(),
  external_id: "ipv4:USA",
  kind: "datacenter",
  country_code: "US",
  ip_version: "IPv4",
  protocol: "HTTP",
  city: null,
  period_days: 30,
  period_months: 1,
  bandwidth_gb: null,
  expires_at: DateTime.makeUnsafe("2030-01-31T00:00:00Z"),
  ...fields
})

/** A time-out for calls that spend money, told apart from every other wait by its length. */
export const moneyTimeout = Duration.millis(15_001)

/** Runs a purchase whose `moneyTimeout` passes as soon as the vendor has taken the order, however slow the machine. */
export const timingOutOnce = <A, E, R>(taken: Effect.Effect<boolean>, purchase: Effect.Effect<A, E, R>) => {
  const live = Clock.Clock.defaultValue()
  const isTaken = Effect.repeat(Effect.andThen(live.sleep(Duration.millis(5)), taken), { until: (taken) => taken })
  const clock: Clock.Clock = Object.assign(Object.create(live), {
    sleep: (duration: Duration.Duration) =>
      Duration.equals(duration, moneyTimeout) ? Effect.asVoid(isTaken) : live.sleep(duration)
  })
  return Effect.provideService(purchase, Clock.Clock, clock)
}

/** Moves the request time of a purchase into the past by this many minutes. */
export const age = (reference: string, minutes: number) =>
  SqlClient.SqlClient.use(
    (sql) =>
      sql`UPDATE provider_purchase SET requested_at = requested_at - ${minutes}::int * interval '1 minute' WHERE reference = ${reference}`
  )

export const recorded = (reference: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{
        vendor_order_id: string | null
      }>`SELECT vendor_order_id FROM provider_purchase WHERE reference = ${reference}`,
      (rows) => rows[0]
    )
  )
