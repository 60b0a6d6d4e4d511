import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { english } from "../../../src/brand/Language.ts"
import { minute } from "../../../src/brand/LocalText.ts"
import type { UserId } from "../../../src/accounts/User.ts"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { type Order, OrderId } from "../../../src/orders/Order.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice, sell } from "../../support/Repricing.ts"
import { bookedFor, changesOf, layer as domain, noticesOf, orderOf, proxy } from "./ProxyChangeTesting.ts"

const newPromoCode = Effect.map(Effect.provide(newCode(), PromoCodeRegistry.layer), ({ code }) => code)

const jobs = Effect.andThen(Expiry.run, Effect.andThen(AutoRenewal.run, ProxyChangeRecovery.run))
const jobsAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), jobs)

/** A proxy with auto-renew, bought at the first prices. */
const bought = Effect.fnUntraced(function* (name: Parameters<typeof proxy>[0], fields: object = {}) {
  yield* reprice(100)
  const made = yield* proxy(name, { auto_renew: true, ...fields })
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${made.user}`
  return made
})

/** A datacenter proxy with auto-renew, paid with the 75 stars of a wallet. */
const boughtForStars = Effect.gen(function* () {
  yield* reprice(100)
  const caller = yield* Testing.buyer(100_000_000n)
  const user = caller.user_id
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
  yield* Fixtures.fund(user, 75n, "STAR")
  const request = yield* Testing.request({ payment_currency: "STAR", auto_renew: true })
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return { user, id: OrderId.make(orders[0]?.id ?? "") }
})

/** Changes the price in stars, and leaves the price in dollars. */
const sellForStars = (STAR: bigint | null) =>
  sell((offer) => ({
    ...offer,
    options: offer.options.map((option) => ({ ...option, prices: { ...option.prices, STAR } }))
  }))

/** A datacenter proxy that has become expiring, 72 hours before its end, at this percentage of its first price. */
const expiring = Effect.fnUntraced(function* (percent: number) {
  const made = yield* bought("Datacenter")
  yield* reprice(percent)
  yield* jobsAfter("648 hours")
  return made
})

/** The notices about prices of renewals, and the mails with the same text. */
const announced = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  const notices = yield* sql<{ message: string }>`
    SELECT message FROM notification WHERE user_id = ${user} AND kind = 'renewal_price' ORDER BY id
  `
  const mails = yield* sql<{ text: string }>`
    SELECT text FROM email_outbox WHERE to_address = ${`${user}@example.com`}
      AND subject = 'The renewal of your proxy costs more' ORDER BY id
  `
  assert.deepStrictEqual(
    mails.map(({ text }) => text.split("\n")[0]),
    notices.map(({ message }) => message)
  )
  return notices.map(({ message }) => message)
})

/** Moves the clock to the moment when the proxy is expiring, and runs the jobs. */
const untilExpiring = Effect.fnUntraced(function* (user: UserId, id: Order["id"]) {
  const { expiring_at } = yield* orderOf(user, id)
  yield* TestClock.setTime(DateTime.toEpochMillis(expiring_at ?? assert.fail()))
  yield* jobs
})

/**
 * Runs auto-renew again and again until it is not interrupted: each time the process dies at another statement. `check`
 * holds after each crash. Answers the number of runs.
 */
const crashing = Effect.fnUntraced(function* <E, R>(check: Effect.Effect<void, E, R>) {
  for (let last = 1; ; last++) {
    let made = 0
    const crash: Statement.Transformer = (statement) =>
      Effect.suspend(() => (++made === last ? Effect.die("a crash") : Effect.succeed(statement)))
    yield* Effect.exit(Effect.provideService(AutoRenewal.run, Statement.CurrentTransformer, crash))
    yield* check
    if (made < last) return last
    yield* TestClock.adjust("2 minutes")
  }
})

const setAutoRenew = (order: Order, enabled: boolean) =>
  ProxyChanges.use((_) => _.setAutoRenew(Testing.session(order.user_id), order, enabled))

const messageOf = (old: string, price: string, { expires_at }: Order, renewsAt: DateTime.Utc) =>
  `Your proxy (Datacenter, United States) costs ${price} to renew. The same time cost ${old} before. The service renews it from your wallet on ${minute(renewsAt)(english)}, at this price or less. To decline, switch auto-renew off before then; the proxy then expires on ${minute(expires_at!)(english)}.`

layer(domain)("A renewal that costs more than before", (it) => {
  it.effect("is compared with the price of the same time, without the extra traffic of the order", () =>
    Effect.gen(function* () {
      // 3.50 dollars, and 60 for 100 GB more.
      const { id, user } = yield* bought("Residential", { bandwidth_gb: 150 })
      const discounted = yield* bought("Residential", { bandwidth_gb: 51, promo_code: yield* newPromoCode })
      yield* reprice(1000)
      yield* untilExpiring(user, id)
      for (const owner of [user, discounted.user])
        assert.include((yield* announced(owner))[0], "costs $35.00 to renew. The same time cost $3.50 before.")
      assert.deepStrictEqual(yield* bookedFor(id), [-63_500_000n])
    })
  )

  it.effect("is announced once by notification and mail, and charged a day later", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* expiring(130)
      const tomorrow = DateTime.add(yield* DateTime.now, { days: 1 })
      assert.deepStrictEqual(yield* announced(user), [messageOf("$1.50", "$1.95", order, tomorrow)])
      for (const wait of ["1 minute", "1 hour", "22 hours"] as const) yield* jobsAfter(wait)
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      yield* jobsAfter("59 minutes")
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_950_000n])
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual(
        [renewed.proxy_status, renewed.announced_total, renewed.renews_from],
        ["active", null, null]
      )
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_price", "proxy_renewed"])
    })
  )

  it.effect("is not announced up to the bound of the operator", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* expiring(120)
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_800_000n])
      yield* sql`INSERT INTO shop_state ${sql.insert({ is_demo: false, announce_above: 500, applied_at: new Date(0) })}`
      const lower = yield* expiring(106)
      assert.deepStrictEqual(yield* bookedFor(lower.id), [-1_500_000n])
      assert.lengthOf(yield* announced(lower.user), 1)
    }).pipe(Effect.ensuring(Effect.orDie(SqlClient.SqlClient.use((sql) => sql`DELETE FROM shop_state`))))
  )

  it.effect("is not charged when the customer switches auto-renew off, nor before its time when on again", () =>
    Effect.gen(function* () {
      const off = yield* expiring(130)
      yield* setAutoRenew(off.order, false)
      yield* jobsAfter("25 hours")
      yield* jobsAfter("47 hours")
      assert.deepStrictEqual(yield* bookedFor(off.id), [-1_500_000n])
      assert.strictEqual((yield* orderOf(off.user, off.id)).proxy_status, "expired")

      const again = yield* expiring(130)
      yield* setAutoRenew(again.order, false)
      yield* setAutoRenew(again.order, true)
      yield* jobsAfter("1 minute")
      yield* jobsAfter("23 hours")
      assert.deepStrictEqual(yield* bookedFor(again.id), [-1_500_000n])
      yield* jobsAfter("59 minutes")
      assert.deepStrictEqual(yield* bookedFor(again.id), [-1_500_000n, -1_950_000n])
      assert.lengthOf(yield* announced(again.user), 1)
    })
  )

  it.effect("is announced again when the price rises further, and costs the price of the day when it falls", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* expiring(130)
      yield* reprice(140)
      yield* jobsAfter("24 hours")
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      const tomorrow = DateTime.add(yield* DateTime.now, { days: 1 })
      const [, second] = yield* announced(user)
      assert.strictEqual(second, messageOf("$1.50", "$2.10", order, tomorrow))
      yield* reprice(135)
      yield* jobsAfter("24 hours")
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -2_025_000n])
      assert.lengthOf(yield* announced(user), 2)
    })
  )

  it.effect("waits for half of the time that remains when that is less than a day", () =>
    Effect.gen(function* () {
      const { id, user } = yield* bought("Mobile")
      yield* reprice(150)
      // A week is expiring in its last 33.6 hours.
      yield* jobsAfter("144 hours")
      assert.lengthOf(yield* announced(user), 1)
      yield* jobsAfter("11 hours")
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n])
      yield* jobsAfter("1 hour")
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n, -13_500_000n])
    })
  )

  it.effect("is compared with the share of a longer term, and with the last extension", () =>
    Effect.gen(function* () {
      const { caller, id, order, user } = yield* bought("Datacenter", { period_days: 90 })
      yield* reprice(107)
      yield* untilExpiring(user, id)
      const tomorrow = DateTime.add(yield* DateTime.now, { days: 1 })
      assert.deepStrictEqual(yield* announced(user), [messageOf("$1.333333", "$1.605", order, tomorrow)])
      yield* ProxyChanges.use((_) => _.extend(caller, order, { months: 1 }, undefined))
      yield* jobsAfter("1 day")
      assert.lengthOf(yield* bookedFor(id), 2)
      // The extension was the last term: 1.605 dollars.
      yield* reprice(125)
      yield* untilExpiring(user, id)
      assert.deepStrictEqual(yield* bookedFor(id), [-4_000_000n, -1_605_000n, -1_875_000n])
    })
  )

  it.effect("is compared in stars, or in dollars when the offer has no price in stars any more", () =>
    Effect.gen(function* () {
      const dearer = yield* boughtForStars
      yield* sellForStars(91n)
      yield* untilExpiring(dearer.user, dearer.id)
      const [message = ""] = yield* announced(dearer.user)
      assert.include(message, "costs 91 stars to renew. The same time cost 75 stars before")

      const inDollars = yield* boughtForStars
      yield* sellForStars(null)
      yield* untilExpiring(inDollars.user, inDollars.id)
      assert.deepStrictEqual(yield* bookedFor(inDollars.id), [-75n, -1_500_000n])
    })
  )

  it.effect("is announced once by several instances", () =>
    Effect.gen(function* () {
      const { id, user } = yield* bought("Datacenter")
      yield* reprice(130)
      yield* TestClock.adjust("648 hours")
      yield* Expiry.run
      yield* Effect.all([AutoRenewal.run, AutoRenewal.run, AutoRenewal.run], { concurrency: 3 })
      assert.lengthOf(yield* announced(user), 1)
      yield* TestClock.adjust("24 hours")
      yield* Effect.all([AutoRenewal.run, AutoRenewal.run, AutoRenewal.run], { concurrency: 3 })
      assert.lengthOf(yield* changesOf(id), 1)
    })
  )

  it.effect("is announced once and charged once, whichever statement the process dies at", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET auto_renew = false, renew_at = NULL`
      const { id, user } = yield* bought("Datacenter")
      yield* reprice(130)
      yield* TestClock.adjust("648 hours")
      yield* Expiry.run
      const isAnnounced = Effect.gen(function* () {
        const { announced_total } = yield* orderOf(user, id)
        assert.lengthOf(yield* announced(user), announced_total === null ? 0 : 1)
        assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      })
      assert.isAbove(yield* crashing(isAnnounced), 6)
      const { announced_total, renews_from } = yield* orderOf(user, id)
      assert.strictEqual(announced_total, 1_950_000n)

      yield* TestClock.setTime(DateTime.toEpochMillis(renews_from ?? assert.fail()))
      const isCharged = Effect.gen(function* () {
        const charges = (yield* changesOf(id)).map(() => -1_950_000n)
        assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, ...charges])
      })
      assert.isAbove(yield* crashing(isCharged), 6)
      assert.lengthOf(yield* changesOf(id), 1)
      assert.lengthOf(yield* announced(user), 1)
    })
  )
})
