import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { PromoCodeRegistry } from "../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import type { Bank } from "../support/MemoryCards.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { type Command, command, ofOneCard, ofOnePayment, ofOneWallet } from "./Command.ts"
import * as Customer from "./Customer.ts"
import { isPossible, perform } from "./Perform.ts"

const code = "MODEL-20"

const open = Effect.gen(function* () {
  yield* TestClock.adjust("1 day")
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, { ...mobile, is_available: true }, { ...residential, is_available: false }])
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  // Prices change after the offers have appeared.
  yield* TestClock.adjust("1 minute")
  const terms = { kind: "percent", value: 20n, use_limit: null, account_limit: 2 } as const
  yield* PromoCodeRegistry.use((registry) =>
    registry.add({ code, ...terms, valid_from: null, expires_at: null, offer_ids: null })
  ).pipe(Effect.orDie, Effect.provide(PromoCodeRegistry.layer))
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const idOf = (kind: string) => catalog.kinds.find((_: any) => _.kind === kind).offers[0].id
  const offers = { datacenter: idOf("datacenter"), mobile: idOf("mobile"), residential: idOf("residential") }
  return { offers, code }
})

/** One shop for all tests, because the promo code is added once. */
class Shop extends Context.Service<Shop, Customer.Shop>()("test/Shop") {
  static readonly layer = Layer.effect(this, open)
}

const { FC_PATH: path, FC_REPLAY: replayPath, FC_RUNS, FC_SEED } = process.env
const integer = (name: string, text: string, least: number) => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least) return value
  throw new Error(`${name}: Expected a whole number from ${least} up, got "${text}"`)
}
const seed = integer("FC_SEED", FC_SEED ?? String(Math.trunc(Math.random() * 2 ** 31)), -(2 ** 31))
const numRuns = integer("FC_RUNS", FC_RUNS ?? "12", 1)
/**
 * Ends the search for a shorter failing run with the shortest so far. Without `FC_RUNS`, a slow machine also tries
 * fewer runs.
 */
const limit = FC_RUNS === undefined ? { interruptAfterTimeLimit: 120_000 } : {}

const paid: ReadonlyArray<Command> = [
  { do: "deposit", cents: 600 },
  { do: "pay", payment: 0, how: "as asked" }
]

const paidTwice = [...paid, ...paid]

const topUp = (monthly_limit: number) =>
  ({ do: "top up", enabled: true, threshold: 300, amount: 500, monthly_limit }) as const

/** A card tops the wallet up with 5 USD below 3 USD, up to 25 USD a month. */
const toppedUp: ReadonlyArray<Command> = [...paid, { do: "save card" }, topUp(2500)]

/**
 * An order waits for its payment while another payment is reversed. Random runs seldom reach a payment at this moment.
 */
const paidWhileStopped = (how: Extract<Command, { do: "pay" }>["how"]): ReadonlyArray<Command> => [
  { do: "deposit", cents: 1000 },
  { do: "pay", payment: 0, how: "as asked" },
  {
    do: "order",
    offer: "datacenter",
    quantity: 2,
    method: "card_gateway",
    promo: true,
    key: null,
    provider: "answers"
  },
  { do: "reverse", payment: 1, which: "one", kind: "dispute", status: "taken", cents: 300 },
  { do: "pay", payment: 0, how },
  { do: "wait", hours: 0.5 },
  { do: "lift" },
  { do: "order", offer: "mobile", quantity: 1, method: "card_gateway", promo: true, key: null, provider: "answers" },
  { do: "pay", payment: 0, how },
  { do: "wait", hours: 0.5 }
]

const fromWallet = { do: "order", quantity: 1, method: "wallet", promo: false, key: null, provider: "answers" } as const

/** Prices change while quotes hold and renewals are announced. Random runs seldom reach such a renewal. */
const changedPrices: ReadonlyArray<Command> = [
  { do: "deposit", cents: 2000 },
  { do: "pay", payment: 0, how: "as asked" },
  { do: "quote", offer: "mobile" },
  { do: "price", percent: 130 },
  { ...fromWallet, offer: "mobile" },
  { do: "auto-renew", order: 0, enabled: true },
  { do: "wait", hours: 20 },
  { do: "auto-renew", order: 0, enabled: false },
  { do: "auto-renew", order: 0, enabled: true },
  { do: "wait", hours: 1 },
  { do: "wait", hours: 1 },
  { do: "price", percent: 100 },
  { do: "wait", hours: 20 },
  { do: "price", percent: 130 },
  { do: "wait", hours: 20 },
  { do: "price", percent: 110 },
  { do: "wait", hours: 2 }
]

const purchase = { ...fromWallet, offer: "mobile" } as const
const wait = (hours: number) => ({ do: "wait", hours }) as const
const bank = (answers: Bank) => ({ do: "bank", answers }) as const

/** Each way in which an automatic top-up may end. A short random run does not reach all of them. */
const everyTopUp = [
  toppedUp,
  [purchase, wait(0.1), purchase, wait(0.1)],
  [bank("is silent"), purchase, purchase, purchase, wait(0.1), purchase, wait(0.5), bank("pays"), wait(0.1)],
  [bank("loses the request"), purchase, purchase, wait(0.1), wait(0.1), wait(0.1), wait(0.1), bank("declines")],
  [wait(0.1), wait(0.5), wait(1), wait(1), wait(20), wait(1)],
  [topUp(1000), bank("pays")],
  [wait(0.1), purchase, wait(0.1), wait(31 * 24)],
  [bank("asks the owner"), purchase, purchase, wait(0.1), wait(72)],
  [{ do: "remove card" } as const, topUp(2500)]
].flat() satisfies ReadonlyArray<Command>

/** A command as fast-check runs and prints it; the customer holds the model. */
const step = (run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>) => (command: Command) => ({
  check: ({ customer }: World) => isPossible(customer, command),
  run: ({ customer }: World) => run(perform(customer, command)),
  toString: () => JSON.stringify(command)
})

interface World {
  readonly customer: Customer.Customer
}

type Services = Effect.Services<
  ReturnType<typeof Customer.make> | ReturnType<typeof perform> | ReturnType<typeof Customer.audit>
>

layer(Layer.provideMerge(Shop.layer, TestApp.layer()))("Any actions of a customer in any order", (it) => {
  it.effect.each(["as asked", "too much", "unreported"] as const)(
    "money for an order is credited while the account may not buy: %s",
    (how) =>
      Effect.gen(function* () {
        const customer = yield* Customer.make(yield* Shop)
        for (const command of paidWhileStopped(how)) yield* perform(customer, command)
        yield* Customer.audit(customer)
      })
  )

  it.effect("a changed price leaves quotes as they are, and a renewal that costs more is announced first", () =>
    Effect.gen(function* () {
      const customer = yield* Customer.make(yield* Shop)
      for (const command of changedPrices) yield* perform(customer, command)
      assert.lengthOf(yield* customer.announcements, 2)
      yield* Customer.audit(customer)
    })
  )

  it.effect("automatic top-up charges a card once at a time, within its month, and stops after declines", () =>
    Effect.gen(function* () {
      const customer = yield* Customer.make(yield* Shop)
      for (const command of everyTopUp) yield* perform(customer, command)
      assert.deepStrictEqual(customer.model.topUps.notices, {
        auto_top_up_made: 3,
        auto_top_up_failed: 2,
        auto_top_up_stopped: 2,
        auto_top_up_limit: 1
      })
      yield* Customer.audit(customer)
    })
  )

  it.effect.each([
    ["the service does what the model says", command, []],
    ["two reversals of one payment take and give back what the model says", ofOnePayment, paid],
    ["withdrawals, reversals and restrictions move the money that the model says", ofOneWallet, paidTwice],
    ["automatic top-up charges a card when, and only when, the model says so", ofOneCard, toppedUp]
  ] as const)(
    "%s (FC_SEED, FC_PATH and FC_REPLAY repeat a failure, FC_RUNS makes a longer run)",
    ([, command, before]) =>
      Effect.gen(function* () {
        process.stdout.write(`fast-check: FC_SEED=${seed} FC_RUNS=${numRuns}\n`)
        const shop = yield* Shop
        const run = Effect.runPromiseWith(yield* Effect.context<Services>())
        const steps = fc.commands([command.map(step(run))], {
          maxCommands: 30,
          size: "max",
          ...(replayPath !== undefined && { replayPath })
        })
        const property = fc.asyncProperty(steps, async (steps) => {
          const customer = await run(Customer.make(shop))
          for (const command of before) await run(perform(customer, command))
          await fc.asyncModelRun(() => ({ model: { customer }, real: undefined }), steps)
          await run(Customer.audit(customer))
        })
        yield* Effect.promise(() =>
          fc.assert(property, { seed, numRuns, ...(path !== undefined && { path }), ...limit })
        )
      }),
    3_600_000
  )
})
