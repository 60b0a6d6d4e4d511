import { DateTime, Effect, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Job from "../../platform/Job.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Providers } from "../../provider/Providers.ts"
import { byService } from "../ActedBy.ts"
import { OrderCare } from "../care/OrderCare.ts"
import { GivenChanges } from "../changes/GivenChanges.ts"
import { ProxyChangeId } from "../changes/ProxyChange.ts"
import type { OrderId } from "../Order.ts"
import * as ClaimReplacement from "./ClaimReplacement.ts"
import * as CreditOutage from "./CreditOutage.ts"
import { OutagesRepo } from "./OutagesRepo.ts"
import { untried } from "./Probe.ts"
import { ReplaceMinutes } from "./ProbeSettings.ts"
import { ProxyChecks } from "./ProxyChecks.ts"

/** A failure becomes an outage after this time, so that the brake sees most proxies first. */
const confirmed = { minutes: 5 }
/** The time until a replacement that was refused is tried again. */
const again = { minutes: 10 }
const replacedAMinute = 20
const creditsAtOnce = 500

/** The providers whose proxies the service can judge now. */
const soundProviders = Effect.gen(function* () {
  const repo = yield* OutagesRepo
  const all = yield* repo.sound(yield* DateTime.now)
  const braked = all.filter(({ is_sound }) => !is_sound).map(({ provider }) => provider)
  if (braked.length > 0)
    yield* Effect.logError(
      `Most proxies of ${braked.join(", ")} fail at once, or none has worked for a day: no outage begins, and none is replaced; check the connection of this service`
    )
  return all.filter(({ is_sound }) => is_sound).map(({ provider }) => provider)
})

/** Replaces one proxy. What a crash leaves behind, `ProxyChangeRecovery` makes. */
const replaceOne = Effect.fnUntraced(
  function* (id: OrderId) {
    const { claim } = yield* ClaimReplacement.make
    const { settle } = yield* GivenChanges
    yield* claim(id, ProxyChangeId.make(SecureRandom.uuidV7Unsafe()), byService)
    yield* settle(id)
  },
  (effect, id) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`Cannot replace the failing proxy of order ${id} yet; the job tries again in 10 minutes`, cause)
    )
)

/** Replaces proxies that fail for long, at most 20 a minute over all instances. */
const replace = Effect.fnUntraced(function* (sound: ReadonlyArray<string>) {
  const atomically = yield* Atomically
  const repo = yield* OutagesRepo
  const providers = yield* Providers
  const minutes = yield* ReplaceMinutes
  const now = yield* DateTime.now
  const able = sound.filter((name) => providers.get(name)?.replacement !== undefined)
  if (minutes === 0 || able.length === 0) return
  const times = {
    now,
    since: DateTime.subtract(now, { minutes }),
    again: DateTime.subtract(now, again),
    minute: DateTime.subtract(now, { minutes: 1 })
  }
  const claimed = yield* atomically(
    Effect.andThen(repo.lockReplacements, repo.claimReplacements(able, times, replacedAMinute))
  )
  yield* Effect.forEach(claimed, ({ order_id }) => replaceOne(order_id), { concurrency: 4, discard: true })
})

/** Begins and ends outages, replaces proxies that fail for long, and credits outages that are over. */
export const run = Effect.gen(function* () {
  const repo = yield* OutagesRepo
  const credit = yield* CreditOutage.make
  const now = yield* DateTime.now
  yield* repo.close(DateTime.subtract(now, untried), now)
  const sound = (yield* repo.isFailing) || (yield* repo.lasts) ? yield* soundProviders : []
  if (sound.length > 0) {
    const [since, tried] = [DateTime.subtract(now, confirmed), DateTime.subtract(now, untried)]
    yield* repo.open(sound, { now, since, tried })
    yield* replace(sound)
  }
  for (let count = 0; count < creditsAtOnce && (yield* credit()); count++);
})

export const layer = Job.layer("OutageRounds", Schedule.spaced("30 seconds"), run).pipe(
  Layer.provide([GivenChanges.layer, OrderCare.layer, OutagesRepo.layer, ProxyChecks.layer])
)
