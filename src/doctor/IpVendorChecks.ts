import { Effect, References, Result } from "effect"
import * as ConfiguredVendors from "../ip-check/vendors/ConfiguredVendors.ts"
import type { IpVendor } from "../ip-check/vendors/IpVendor.ts"
import { type Check, failed } from "./Check.ts"
import { NotKnown } from "./NotKnown.ts"

const timeout = "10 seconds"

/** The fault of one vendor; undefined when it has none. Fails when the vendor does not answer. */
const faultOf = ({ credits, label }: IpVendor): Effect.Effect<string | undefined, NotKnown> =>
  credits === undefined
    ? Effect.succeed(undefined)
    : credits.pipe(
        Effect.map(({ left, of }) => (left < of / 10 ? `${label} has ${left} of ${of} calls left` : undefined)),
        Effect.catch(({ isAnswer, reason }) =>
          isAnswer === true
            ? Effect.succeed(`${label} refuses the key (${reason})`)
            : Effect.fail(new NotKnown({ reason: `${label}: ${reason}` }))
        ),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new NotKnown({ reason: `${label}: no answer within ${timeout}` }))
        }),
        Effect.provideService(References.MinimumLogLevel, "None")
      )

const credits: Check = {
  id: "ip.credits",
  severity: "warning",
  asksOutside: true,
  run: Effect.gen(function* () {
    const told = yield* Effect.forEach(yield* ConfiguredVendors.real, (vendor) => Effect.result(faultOf(vendor)), {
      concurrency: "unbounded"
    })
    const faults = told.flatMap((one) => (Result.isSuccess(one) ? (one.success ?? []) : []))
    if (faults.length > 0)
      return failed(`${faults.join("; ")}: checks of IP addresses go on without it; look at your account there`)
    const unknown = told.flatMap((one) => (Result.isFailure(one) ? [one.failure.reason] : []))
    return unknown.length === 0 ? undefined : yield* new NotKnown({ reason: unknown.join("; ") })
  })
}

export const checks: ReadonlyArray<Check> = [credits]
