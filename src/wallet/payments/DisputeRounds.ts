import { Data, DateTime, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { RestrictionId } from "../../accounts/restrictions/Restriction.ts"
import { Restrictions } from "../../accounts/restrictions/Restrictions.ts"
import { Brand } from "../../brand/Brand.ts"
import * as Language from "../../brand/Language.ts"
import { say } from "../../brand/LocalText.ts"
import * as Job from "../../platform/Job.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as DisputePolicy from "./DisputePolicy.ts"
import { DisputesRepo, type Suspending } from "./DisputesRepo.ts"

const batch = 100

/** The dispute ended, or another instance was faster. */
class NoLongerOpen extends Data.TaggedError("NoLongerOpen")<{}> {}

/** Suspends the account of a dispute: the restriction and its note are made together. */
const makeSuspend = Effect.gen(function* () {
  const atomically = yield* Atomically
  const brand = yield* Brand
  const repo = yield* DisputesRepo
  const restrictions = yield* Restrictions

  const place = Effect.fnUntraced(function* (dispute: Suspending) {
    const { charge_id, language, payment_method, reversal_id, user_id } = dispute
    const { id } = yield* restrictions.place({
      id: RestrictionId.make(randomUUID()),
      user_id,
      preset: "suspend",
      reason_code: "dispute",
      internal_reason: `The dispute ${reversal_id} of the charge ${charge_id} (${payment_method}); DISPUTE_POLICY is suspend`,
      public_reason: say("notice.suspension")(Language.ofBrand(brand)[language]),
      until_at: null,
      source: "dispute",
      placed_by: "service"
    })
    if (!(yield* repo.suspended(dispute, id, yield* DateTime.now))) return yield* new NoLongerOpen()
  }, atomically)

  return (dispute: Suspending) =>
    place(dispute).pipe(
      Effect.catchTag("NoLongerOpen", () => Effect.void),
      Effect.catchCause((cause) => Effect.logError(`Cannot suspend the account ${dispute.user_id}`, cause))
    )
})

/** Suspends accounts with an open dispute if the operator wants it, and frees accounts whose dispute is over. */
export const run = Effect.gen(function* () {
  const policy = yield* DisputePolicy.load
  const repo = yield* DisputesRepo
  const restrictions = yield* Restrictions
  const suspend = yield* makeSuspend
  if (policy === "suspend") yield* Effect.forEach(yield* repo.toSuspend(batch), suspend, { discard: true })
  const lifting = { by: "service", reason: "The dispute is over" }
  // Another instance, or a person, may lift it at the same time.
  yield* Effect.forEach(yield* repo.toRelease(batch), (id) => Effect.ignore(restrictions.lift(id, lifting)), {
    discard: true
  })
})

export const layer = Job.layer("DisputeRounds", Schedule.spaced("5 seconds"), run).pipe(
  Layer.provide([DisputesRepo.layer, Restrictions.layer])
)
