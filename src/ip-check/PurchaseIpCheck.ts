import { DateTime, Effect, Exit, Fiber, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../accounts/Caller.ts"
import * as Failure from "../platform/errors/Failure.ts"
import { spenderOf } from "../wallet/Spender.ts"
import { VerifiedBuyers } from "../wallet/VerifiedBuyers.ts"
import type { EmailNotVerified } from "../wallet/WalletErrors.ts"
import { type ChargeRefused, Wallets } from "../wallet/Wallets.ts"
import type { Steps } from "../idempotency/Idempotency.ts"
import { Blocklists } from "./blocklists/Blocklists.ts"
import { type IpCheck, IpCheckId, paymentReference, reuse } from "./IpCheck.ts"
import { AddressTaken, IpCheckInterrupted, IpCheckPriceChanged, NoSources, TooFewSources } from "./IpCheckErrors.ts"
import { IpCheckQuota } from "./IpCheckQuota.ts"
import { ipCheckView, reusedIpCheckView } from "./IpCheckView.ts"
import { IpCheckSettlement } from "./IpCheckSettlement.ts"
import { IpChecksRepo } from "./IpChecksRepo.ts"
import { IpVendors, isEnough } from "./vendors/IpVendors.ts"
import { judge } from "./signals/Verdict.ts"

/** The lease of a check: more than twice the time limit of the vendors. */
const lease = { seconds: 8 }
/** A margin above the time limit of `IpVendors`. */
const vendorsTimeout = "3500 millis"

export type PurchaseError =
  | AddressTaken
  | IpCheckInterrupted
  | IpCheckPriceChanged
  | NoSources
  | TooFewSources
  | ChargeRefused
  | EmailNotVerified

/** The check that a request led to: a check of its own, or a reused recent one, which costs nothing. */
const Reference = Schema.Struct({ check_id: IpCheckId, cached: Schema.Boolean })
const decodeReference = Schema.decodeUnknownEffect(Reference)

/** What a request asks for. */
export interface WantedCheck {
  readonly ip: string
  /** The most that the check may cost, in micro-dollars; undefined: the price. */
  readonly most: bigint | undefined
}

/** Reserves the money and the address. The caller's transaction makes both atomic. */
const makeReserve = Effect.gen(function* () {
  const buyers = yield* VerifiedBuyers
  const quota = yield* IpCheckQuota
  const repo = yield* IpChecksRepo
  const vendors = yield* IpVendors
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* (id: IpCheckId, caller: Caller["Service"], { ip, most }: WantedCheck) {
    if (!vendors.supports(ip)) return yield* new NoSources()
    if (!(yield* vendors.canAnswer(ip))) return yield* new TooFewSources()
    const { user_id } = caller
    yield* repo.lockOwner(user_id)
    const { free_available, price } = yield* quota.of(user_id)
    const is_free = free_available > 0
    const amount = is_free ? 0n : price
    if (most !== undefined && amount > most) return yield* new IpCheckPriceChanged()
    const now = yield* DateTime.now
    const settle_at = DateTime.add(now, lease)
    // Locks the check before the wallet, in the same order as a settlement, so that they cannot deadlock.
    const isMine = yield* repo.insert({ id, user_id, ip, is_free, amount, created_at: now, settle_at })
    if (!isMine) return yield* new AddressTaken()
    // The insert waited for another check, which has completed meanwhile.
    if (Option.isSome(yield* repo.recent(ip, DateTime.subtract(now, reuse), vendors.isSandbox)))
      return yield* new AddressTaken()
    if (is_free) return
    yield* buyers.admit(caller)
    const entry = { order_id: null, reference: paymentReference(id), amount, amount_usd: amount }
    yield* wallets.charge({
      user_id,
      currency: "USD",
      spender: spenderOf(caller),
      entries: [{ ...entry, description: `IP check of ${ip}` }]
    })
  })
})

/** Asks the vendors about the reserved address, and ends the check. */
const makeComplete = Effect.gen(function* () {
  const blocklists = yield* Blocklists
  const settlement = yield* IpCheckSettlement
  const vendors = yield* IpVendors

  /** Continues after the client has disconnected, and ends in time, so that a paid check is always settled. */
  const ask = Effect.fnUntraced(function* (ip: string) {
    const asked = Effect.interruptible(Effect.timeoutOption(vendors.ask(ip), vendorsTimeout))
    const exit = yield* Fiber.await(yield* Effect.forkChild(asked))
    if (Exit.isSuccess(exit)) return Option.getOrElse(exit.value, () => [])
    yield* Effect.logError(...Failure.logLine("Cannot ask the vendors of IP reputation", exit.cause))
    return []
  })

  return Effect.fnUntraced(function* (id: IpCheckId, ip: string) {
    const reports = yield* ask(ip)
    const answered = reports.filter(({ row }) => row.status === "ok").length
    const completed = isEnough({ asked: reports.length, answered })
      ? yield* settlement.complete(id, judge(reports, blocklists.listings(ip)), reports)
      : Option.none<IpCheck>()
    if (Option.isSome(completed)) return completed.value
    yield* settlement.fail(id, reports)
    return yield* new TooFewSources()
  })
})

/** Waits for the outcome of a check that another request began. That request may have crashed. */
const makeResume = Effect.gen(function* () {
  const repo = yield* IpChecksRepo
  const settlement = yield* IpCheckSettlement

  const awaitEnd = Effect.fnUntraced(function* (id: IpCheckId) {
    for (;;) {
      const state = Option.getOrUndefined(yield* repo.state(id))
      if (state === undefined || state.settle_at === null) return
      if (DateTime.isLessThanOrEqualTo(state.settle_at, yield* DateTime.now)) return yield* settlement.fail(id, [])
      yield* Effect.sleep("50 millis")
    }
  })

  return Effect.fnUntraced(function* (id: IpCheckId) {
    yield* awaitEnd(id)
    const found = yield* repo.find(id)
    // The request fails, which frees its idempotency key.
    return Option.isSome(found) ? found.value : yield* new IpCheckInterrupted()
  })
})

/** Makes the steps of one request: the charge, which runs once per idempotency key, and the rest, which may be repeated. */
type PurchaseSteps = (
  caller: Caller["Service"],
  wanted: WantedCheck,
  recent: Option.Option<IpCheck>
) => Steps<PurchaseError, never>

export const make = Effect.gen(function* () {
  const reserve = yield* makeReserve
  const complete = yield* makeComplete
  const resume = yield* makeResume

  const steps: PurchaseSteps = (caller, wanted, recent) => {
    const check_id = IpCheckId.make(SecureRandom.uuidV7Unsafe())
    let isReserved = false
    return {
      reference: Option.match(recent, {
        onNone: () => ({ check_id, cached: false }),
        onSome: ({ id }) => ({ check_id: id, cached: true })
      }),
      charge: Option.isSome(recent)
        ? Effect.void
        : Effect.andThen(
            reserve(check_id, caller, wanted),
            Effect.sync(() => void (isReserved = true))
          ),
      finish: Effect.fnUntraced(function* (reference) {
        const { cached, check_id } = yield* Effect.orDie(decodeReference(reference))
        const check = yield* isReserved ? complete(check_id, wanted.ip) : resume(check_id)
        return cached ? reusedIpCheckView(check) : ipCheckView(check)
      })
    }
  }
  return steps
})
