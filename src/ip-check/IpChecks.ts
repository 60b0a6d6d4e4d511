import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import type { UserId } from "../accounts/User.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import type { Page } from "../platform/fields/Page.ts"
import type { PublicIp } from "../platform/outbound/PublicAddress.ts"
import { VerifiedBuyers } from "../wallet/VerifiedBuyers.ts"
import { type IpCheck, type IpCheckId, reuse } from "./IpCheck.ts"
import { type AddressTaken, IpCheckNotFound, IpCheckNotYours, IpCheckUnderWay, TooFewSources } from "./IpCheckErrors.ts"
import { IpVendors } from "./vendors/IpVendors.ts"
import * as PurchaseIpCheck from "./PurchaseIpCheck.ts"
import { IpCheckQuota } from "./IpCheckQuota.ts"
import { IpCheckView } from "./IpCheckView.ts"
import { IpCheckSettlement } from "./IpCheckSettlement.ts"
import { IpChecksRepo } from "./IpChecksRepo.ts"

/** How long a request waits for a check of the same address that somebody else has begun. */
const patience = { seconds: 4 }

type CheckError =
  | Exclude<PurchaseIpCheck.PurchaseError, AddressTaken>
  | IpCheckUnderWay
  | IdempotencyKeyReused
  | RequestStillRunning

interface Checked {
  readonly answer: IpCheckView
  /** Whether an earlier request with the same key made the answer. */
  readonly replayed: boolean
}

const decodeView = Schema.decodeUnknownEffect(IpCheckView)

/**
 * Waits until nobody is at work on an address; what was left behind is ended. Vendors that have just failed another are
 * not asked again at once.
 */
const makeTurn = Effect.gen(function* () {
  const repo = yield* IpChecksRepo
  const settlement = yield* IpCheckSettlement

  return Effect.fnUntraced(function* (ip: string, until: DateTime.Utc) {
    const awaited = Option.getOrUndefined(yield* repo.pending(ip))
    if (awaited === undefined) return
    for (;;) {
      const state = Option.getOrUndefined(yield* repo.state(awaited.id))
      const now = yield* DateTime.now
      // One that was left behind says nothing of the vendors.
      if (DateTime.isLessThanOrEqualTo(awaited.settle_at, now)) return yield* settlement.fail(awaited.id, [])
      if (state?.status === "failed") return yield* new TooFewSources()
      if (state?.status !== "pending") return
      if (DateTime.isGreaterThanOrEqualTo(now, until)) return yield* new IpCheckUnderWay({ details: {} })
      yield* Effect.sleep("50 millis")
    }
  })
})

const makeCheck = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const { pretends } = yield* IpVendors
  const purchase = yield* PurchaseIpCheck.make
  const repo = yield* IpChecksRepo
  const turn = yield* makeTurn

  const attempt = Effect.fnUntraced(function* (caller: Caller["Service"], ip: string, key: string | undefined) {
    const since = DateTime.subtract(yield* DateTime.now, reuse)
    const { answer, replayed } = yield* idempotency.perform(
      { user_id: caller.user_id, operation: "ip-check", key, body: { ip } },
      purchase(caller, ip, yield* repo.recent(ip, since, pretends))
    )
    return Option.some({ answer: yield* Effect.orDie(decodeView(answer)), replayed })
  })

  return Effect.fn("IpChecks.check")(function* (caller: Caller["Service"], ip: string, key: string | undefined) {
    const until = DateTime.add(yield* DateTime.now, patience)
    for (;;) {
      const made = yield* Effect.catchTag(attempt(caller, ip, key), "AddressTaken", () => Effect.succeedNone)
      if (Option.isSome(made)) return made.value
      yield* turn(ip, until)
    }
  })
})

/**
 * Checks of addresses: charged exactly once for a result, or not at all. The vendors are asked about an address once at a
 * time and at most once an hour, whoever wants to know.
 */
export class IpChecks extends Context.Service<
  IpChecks,
  {
    readonly check: (
      caller: Caller["Service"],
      ip: PublicIp,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Checked, CheckError>
    readonly get: (owner: UserId, id: IpCheckId) => Effect.Effect<IpCheck, IpCheckNotFound | IpCheckNotYours>
    /** Newest first; `total` counts all. */
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly checks: ReadonlyArray<IpCheck>; readonly total: number }>
  }
>()("app/ip-check/IpChecks") {
  static readonly layerNoDeps = Layer.effect(
    IpChecks,
    Effect.gen(function* () {
      const repo = yield* IpChecksRepo

      const get = Effect.fn("IpChecks.get")(function* (owner: UserId, id: IpCheckId) {
        const check = Option.getOrUndefined(yield* repo.find(id))
        if (check === undefined) return yield* new IpCheckNotFound()
        if (check.user_id !== owner) return yield* new IpCheckNotYours()
        return check
      })

      const list = Effect.fn("IpChecks.list")(function* (owner: UserId, page: Page) {
        return { checks: yield* repo.list(owner, page), total: yield* repo.count(owner) }
      })

      return IpChecks.of({ check: yield* makeCheck, get, list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([IpCheckQuota.layer, IpCheckSettlement.layer, IpChecksRepo.layer, VerifiedBuyers.layer])
  )
}
