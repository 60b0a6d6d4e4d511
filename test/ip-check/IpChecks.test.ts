import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Caller } from "../../src/accounts/Caller.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import * as AcceleratedClock from "../support/AcceleratedClock.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import * as Gate from "../support/Gate.ts"
import { MemoryBlocklists } from "../support/MemoryBlocklists.ts"
import { MemoryIpVendors, report, unavailable } from "../support/MemoryIpVendors.ts"
import { balanceOf, buyer, request } from "../support/OrderTesting.ts"
import {
  bookedBy,
  check,
  checksOf,
  completed,
  layer as domain,
  newIp,
  payment,
  price,
  refund,
  slowly,
  withAnswer
} from "./IpCheckTesting.ts"

/** Delivers orders of 1.50 each. */
const deliver = Effect.fnUntraced(function* (caller: Caller["Service"], quantity: number) {
  const body = yield* request({ quantity })
  yield* OrderPlacement.use((placement) => placement.place(caller, body, undefined))
})

const quotaOf = (caller: Caller["Service"]) => IpCheckQuota.use((quota) => quota.of(caller.user_id))

const timesAsked = (ip: string) => MemoryIpVendors.use(({ timesAsked }) => Effect.succeed(timesAsked(ip)))

layer(domain, { excludeTestServices: true })("An IP check", (it) => {
  it.effect("costs exactly its price, and answers the result of every source", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(1_000_000n)
      const ip = newIp()
      const { list } = yield* MemoryBlocklists
      list("memory_tor", ip)
      const said = Effect.succeed([
        report("one", { band: "suspicious", score: 55, risk: "medium" }, { proxy_detected: true }),
        unavailable("two")
      ])
      const { answer, replayed } = yield* withAnswer(said, check(caller, ip))
      assert.isFalse(replayed)
      assert.deepInclude(answer, {
        ip,
        verdict: "suspicious",
        risk_score: 55,
        charge: { amount: "0.05", currency: "USD", free: false },
        partial: true,
        cached: false
      })
      assert.deepInclude(answer.signals, { tor: true, proxy_detected: true, blocklists: [] })
      assert.deepStrictEqual(
        answer.vendors.map((row) => [row.vendor, row.status, "score" in row]),
        [
          ["one", "ok", true],
          ["two", "unavailable", false]
        ]
      )
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment])
      assert.strictEqual(yield* balanceOf(caller.user_id), 950_000n)
    })
  )

  it.effect("stores the raw answers of vendors", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const { answer } = yield* check(caller, newIp())
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql`SELECT vendor, status_code, body FROM ip_vendor_answer WHERE check_id = ${answer.id}`
      assert.deepStrictEqual(
        kept.map(({ body, status_code, vendor }) => [vendor, status_code, body]),
        ["one", "two"].map((vendor) => [vendor, 200, JSON.stringify({ vendor })])
      )
    })
  )

  it.effect("stores the raw answers also when too few vendors answered", () =>
    Effect.gen(function* () {
      const ip = newIp()
      const said = { ...unavailable("one"), raw: { status_code: 500, body: "broken" } }
      yield* Effect.flip(withAnswer(Effect.succeed([said]), check(yield* buyer(price), ip)))
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql`
        SELECT vendor, status_code, body FROM ip_vendor_answer WHERE check_id = (SELECT id FROM ip_check WHERE ip = ${ip})
      `
      assert.deepStrictEqual([...kept], [{ vendor: "one", status_code: 500, body: "broken" }])
    })
  )

  it.effect("succeeds when a vendor answers bytes that are not text", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const garbage = { ...unavailable("two"), raw: { status_code: 200, body: "\u0000\ud800" } }
      const { answer } = yield* withAnswer(Effect.succeed([report("one"), garbage]), check(caller, newIp()))
      assert.isTrue(answer.partial)
    })
  )

  it.effect("is refused with the price without enough money, and asks no vendor", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price - 1n)
      const ip = newIp()
      const error = yield* Effect.flip(check(caller, ip))
      assert.deepInclude(error, {
        _tag: "InsufficientBalance",
        details: { reason: "insufficient_balance", required: "0.05", balance: "0.049999", currency: "USD" }
      })
      assert.deepStrictEqual([yield* timesAsked(ip), yield* checksOf(ip)], [0, []])
    })
  )

  it.effect("counts against the daily limit of the API key", () =>
    Effect.gen(function* () {
      const { user_id } = yield* buyer(1_000_000n)
      const credential = { _tag: "api_key", api_key_id: randomUUID(), scopes: null } as const
      const caller = { user_id, credential: { ...credential, daily_spend_limit_usd: price * 2n - 1n } }
      yield* check(caller, newIp())
      const error = yield* Effect.flip(check(caller, newIp()))
      assert.strictEqual(error._tag, "DailySpendLimitReached")
      assert.deepStrictEqual(yield* bookedBy(user_id), [payment])
    })
  )

  it.effect("counts against the daily limit of a connected app", () =>
    Effect.gen(function* () {
      const { user_id } = yield* buyer(1_000_000n)
      const app = { _tag: "oauth", client_id: "app", connection_id: randomUUID(), grant_id: randomUUID() } as const
      const caller = { user_id, credential: { ...app, scopes: [], daily_spend_limit_usd: price * 2n - 1n } }
      yield* check(caller, newIp())
      const error = yield* Effect.flip(check(caller, newIp()))
      assert.strictEqual(error._tag, "DailySpendLimitReached")
      assert.deepStrictEqual(yield* bookedBy(user_id), [payment])
    })
  )

  it.effect("is free once per delivered order, and paid otherwise", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(3_000_000n + price)
      yield* deliver(caller, 2)
      assert.deepStrictEqual(yield* quotaOf(caller), { entitled: 2, used: 0, free_available: 2, price })
      const charges = []
      for (const ip of [newIp(), newIp(), newIp()]) charges.push((yield* check(caller, ip)).answer.charge)
      const free = { amount: "0.00", currency: "USD", free: true }
      assert.deepStrictEqual(charges, [free, free, { amount: "0.05", currency: "USD", free: false }])
      assert.deepStrictEqual(yield* quotaOf(caller), { entitled: 2, used: 2, free_available: 0, price })
      assert.strictEqual(yield* balanceOf(caller.user_id), 0n)
    })
  )

  it.effect("uses a free check once, no matter how many run at the same time", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(1_500_000n + price * 4n)
      yield* deliver(caller, 1)
      const ips = Array.from({ length: 5 }, newIp)
      const made = yield* Effect.forEach(ips, (ip) => check(caller, ip), { concurrency: "unbounded" })
      assert.strictEqual(made.filter(({ answer }) => answer.charge.free).length, 1)
      assert.deepStrictEqual([(yield* quotaOf(caller)).used, yield* balanceOf(caller.user_id)], [1, 0n])
    })
  )

  it.effect("reuses a result of the last hour for free, also for another account without money", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const stranger = yield* buyer(0n)
      const ip = newIp()
      const { answer } = yield* check(caller, ip)
      const charge = { amount: "0.00", currency: "USD", free: true } as const
      for (const someone of [caller, stranger])
        assert.deepStrictEqual(yield* check(someone, ip), {
          answer: { ...answer, charge, cached: true, id: null },
          replayed: false
        })
      assert.deepStrictEqual([yield* timesAsked(ip), yield* balanceOf(caller.user_id)], [1, 0n])
    })
  )

  it.effect("does not reuse an older result", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const [old, recent] = [newIp(), newIp()]
      yield* completed(caller.user_id, old, { minutes: 61 })
      yield* completed(caller.user_id, recent, { minutes: 59 })
      assert.isFalse((yield* check(caller, old)).answer.cached)
      assert.isTrue((yield* check(caller, recent)).answer.cached)
    })
  )

  it.effect.each([
    ["one of three", Effect.succeed([report("one"), unavailable("two"), unavailable("three")])],
    ["none of one", Effect.succeed([unavailable("one")])],
    ["none at all", Effect.succeed([])],
    ["a failure of ours", Effect.die("vendors are broken")]
  ] as const)("too few answers cost nothing: %s", ([, said]) =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const ip = newIp()
      const error = yield* Effect.flip(withAnswer(said, check(caller, ip)))
      assert.strictEqual(error._tag, "TooFewSources")
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment, refund])
      assert.deepStrictEqual((yield* check(caller, ip)).answer.cached, false)
      assert.deepStrictEqual(
        (yield* checksOf(ip)).map(({ status }) => status),
        ["failed", "completed"]
      )
    })
  )

  it.effect("books nothing without a vendor", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const ip = newIp()
      const vendors = yield* MemoryIpVendors
      vendors.setConfigured(false)
      const error = yield* Effect.flip(check(caller, ip))
      vendors.setConfigured(true)
      assert.deepInclude(error, {
        _tag: "NoSources",
        status: 503,
        detail: "This service has no IP reputation source for this kind of address; nothing was charged"
      })
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [])
      assert.deepStrictEqual(yield* checksOf(ip), [])
    })
  )

  it.effect("succeeds when half of the vendors answer", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const { answer } = yield* withAnswer(Effect.succeed([report("one"), unavailable("two")]), check(caller, newIp()))
      assert.deepStrictEqual([answer.verdict, answer.partial], ["clean", true])
    })
  )

  it.effect("returns its free check when it fails", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(1_500_000n)
      yield* deliver(caller, 1)
      yield* Effect.flip(withAnswer(Effect.succeed([]), check(caller, newIp())))
      assert.deepInclude(yield* quotaOf(caller), { used: 0, free_available: 1 })
      assert.isTrue((yield* check(caller, newIp())).answer.charge.free)
    })
  )

  it.effect("gives up on silent vendors and returns the money", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const hanging = Effect.flip(withAnswer(Effect.never, check(caller, newIp())))
      const clock = AcceleratedClock.make(20)
      const error = yield* Effect.provideService(hanging, Clock.Clock, clock)
      assert.strictEqual(error._tag, "TooFewSources")
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment, refund])
    })
  )

  it.effect("of one address runs once for twenty concurrent requests, and is charged once", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const caller = yield* buyer(price * 20n)
      const others = yield* Effect.forEach([1, 2], () => buyer(price))
      const ip = newIp()
      const everybody = Array.from({ length: 20 }, (_, index) => [caller, ...others][index % 3] ?? caller)
      const answers = yield* withAnswer(
        slowly,
        Effect.forEach(everybody, (someone) => check(someone, ip), { concurrency: "unbounded" })
      )
      assert.strictEqual(answers.filter(({ answer }) => answer.cached).length, 19)
      const booked = yield* Effect.forEach([caller, ...others], ({ user_id }) => bookedBy(user_id))
      assert.deepStrictEqual([booked.flat(), yield* timesAsked(ip)], [[payment], 1])
    })
  )

  it.effect("fails without asking the vendors when the check that it waited for fails", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* buyer(price), yield* buyer(price)]
      const ip = newIp()
      yield* frozenTime
      const gate = yield* Gate.make
      // The second client waits for the first: only a client that waits sleeps.
      const clock = Object.assign(Object.create(Clock.Clock.defaultValue()), { sleep: () => gate.open })
      const waiting = Effect.andThen(gate.reached, Effect.provideService(check(second, ip), Clock.Clock, clock))
      const errors = yield* withAnswer(
        Effect.as(gate.pass, []),
        Effect.forEach([check(first, ip), waiting], Effect.flip, { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["TooFewSources", "TooFewSources"]
      )
      assert.strictEqual(yield* timesAsked(ip), 1)
      const booked = yield* Effect.forEach([first, second], ({ user_id }) => bookedBy(user_id))
      assert.deepStrictEqual(booked.flat(), [payment, refund])
    })
  )

  it.effect("is paid and stored when the client disconnects", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price)
      const ip = newIp()
      const asking = yield* Effect.forkChild(withAnswer(slowly, check(caller, ip)))
      while ((yield* timesAsked(ip)) === 0) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(
        (yield* checksOf(ip)).map(({ status }) => status),
        ["completed"]
      )
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment])
    })
  )
})
