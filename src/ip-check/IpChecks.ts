import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import type { UserId } from "../accounts/User.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import type { Page } from "../platform/fields/Page.ts"
import type { PublicIp } from "../platform/outbound/PublicAddress.ts"
import { VerifiedBuyers } from "../wallet/VerifiedBuyers.ts"
import { type IpCheck, type IpCheckId, reuse } from "./IpCheck.ts"
import {
  type AddressTaken,
  IpCheckNotFound,
  IpCheckNotYours,
  type IpCheckPriceChanged,
  IpCheckUnderWay,
  TooFewSources
} from "./IpCheckErrors.ts"
import { IpVendors } from "./vendors/IpVendors.ts"
import * as PurchaseIpCheck from "./PurchaseIpCheck.ts"
import { IpCheckQuota } from "./IpCheckQuota.ts"
import { IpCheckView } from "./IpCheckView.ts"
import { IpCheckSettlement } from "./IpCheckSettlement.ts"
import { IpChecksRepo } from "./IpChecksRepo.ts"

/** The time that a request waits for another check of the same address. */
const patience = { seconds: 4 }

type CheckError =
  | Exclude<PurchaseIpCheck.PurchaseError, AddressTaken | IpCheckPriceChanged>
  | IpCheckUnderWay
  | IdempotencyKeyReused
  | RequestStillRunning

interface Checked {
  readonly answer: IpCheckView
  /** True when an earlier request with the same idempotency key made the answer. */
  readonly replayed: boolean
}

const decodeView = Schema.decodeUnknownEffect(IpCheckView)

/**
 * Waits until the pending check of an address ends, and fails it when its lease has ended. When the pending check fails,
 * this request fails too, so that failing vendors are not asked again immediately.
 */
const makeAwaitPending = Effect.gen(function* () {
  const repo = yield* IpChecksRepo
  const settlement = yield* IpCheckSettlement

  return Effect.fnUntraced(function* (ip: string, until: DateTime.Utc) {
    const awaited = Option.getOrUndefined(yield* repo.pending(ip))
    if (awaited === undefined) return
    for (;;) {
      const state = Option.getOrUndefined(yield* repo.state(awaited.id))
      const now = yield* DateTime.now
      // A check whose lease has ended tells nothing about the vendors.
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
  const { isSandbox } = yield* IpVendors
  const purchase = yield* PurchaseIpCheck.make
  const repo = yield* IpChecksRepo
  const awaitPending = yield* makeAwaitPending

  const attempt = Effect.fnUntraced(function* (
    caller: Caller["Service"],
    wanted: PurchaseIpCheck.WantedCheck,
    key: string | undefined
  ) {
    const { ip } = wanted
    const since = DateTime.subtract(yield* DateTime.now, reuse)
    const { answer, replayed } = yield* idempotency.perform(
      { user_id: caller.user_id, operation: "ip-check", key, body: { ip } },
      purchase(caller, wanted, yield* repo.recent(ip, since, isSandbox))
    )
    return Option.some({ answer: yield* Effect.orDie(decodeView(answer)), replayed })
  })

  return Effect.fnUntraced(function* (
    caller: Caller["Service"],
    wanted: PurchaseIpCheck.WantedCheck,
    key: string | undefined
  ) {
    const until = DateTime.add(yield* DateTime.now, patience)
    for (;;) {
      const made = yield* Effect.catchTag(attempt(caller, wanted, key), "AddressTaken", () => Effect.succeedNone)
      if (Option.isSome(made)) return made.value
      yield* awaitPending(wanted.ip, until)
    }
  })
})

/**
 * Checks addresses. A check with a result is charged exactly once; a failed check is not charged. Per address, one check
 * runs at a time, and its result is reused for an hour by all accounts.
 */
export class IpChecks extends Context.Service<
  IpChecks,
  {
    /** Makes a check, or reuses a recent one. */
    readonly check: (
      caller: Caller["Service"],
      ip: PublicIp,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Checked, CheckError>
    /** The same, for at most the promised amount of micro-dollars. A replay costs nothing, so it keeps any promise. */
    readonly checkFor: (
      caller: Caller["Service"],
      ip: PublicIp,
      idempotencyKey: string,
      most: bigint
    ) => Effect.Effect<Checked, CheckError | IpCheckPriceChanged>
    readonly get: (owner: UserId, id: IpCheckId) => Effect.Effect<IpCheck, IpCheckNotFound | IpCheckNotYours>
    /** Lists a page of the completed checks, newest first. `total` counts all of them. */
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

      const attempt = yield* makeCheck

      const check = Effect.fn("IpChecks.check")((caller: Caller["Service"], ip: PublicIp, key: string | undefined) =>
        Effect.catchTag(attempt(caller, { ip, most: undefined }, key), "IpCheckPriceChanged", Effect.die)
      )

      const checkFor = Effect.fn("IpChecks.checkFor")(
        (caller: Caller["Service"], ip: PublicIp, key: string, most: bigint) => attempt(caller, { ip, most }, key)
      )

      return IpChecks.of({ check, checkFor, get, list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([IpCheckQuota.layer, IpCheckSettlement.layer, IpChecksRepo.layer, VerifiedBuyers.layer])
  )
}
