import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { GatewayRefunds } from "../../wallet/refunds/GatewayRefunds.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as FinishRefund from "./FinishRefund.ts"
import type { OrderRefund } from "./OrderRefund.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"

const batch = 100
const concurrency = 8
/** The time until a provider is asked again. */
const again = { minutes: 1 }

/** Ends the proxies of refunded orders at their providers, if the process that booked the refund did not. */
export const run = Effect.gen(function* () {
  const repo = yield* OrderRefundsRepo
  const { release } = yield* FinishRefund.make

  const end = (refund: OrderRefund) =>
    Effect.catchCause(release(refund), (cause) =>
      Effect.logWarning(`Cannot end the proxy of the refunded order ${refund.order_id} yet; the job tries again`, cause)
    )

  const now = yield* DateTime.now
  const due = yield* repo.claimReleases(now, DateTime.add(now, again), batch)
  yield* Effect.forEach(due, end, { concurrency, discard: true })
})

export const layer = Job.layer("RefundedProxies", Schedule.spaced("15 seconds"), run).pipe(
  Layer.provide([GatewayRefunds.layer, LiveProxies.layer, OrderRefundsRepo.layer])
)
