import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as IpCheckCleanup from "../../src/ip-check/IpCheckCleanup.ts"
import { IpCheckId } from "../../src/ip-check/IpCheck.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import * as IpCheckRecovery from "../../src/ip-check/IpCheckRecovery.ts"
import { IpCheckSettlement } from "../../src/ip-check/IpCheckSettlement.ts"
import { judge } from "../../src/ip-check/signals/Verdict.ts"
import * as AcceleratedClock from "../support/AcceleratedClock.ts"
import { report } from "../support/MemoryIpVendors.ts"
import { balanceOf, buyer } from "../support/OrderTesting.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { bookedBy, check, checksOf, completed, layer as domain, newIp, price } from "./IpCheckTesting.ts"

const program = fileURLToPath(new URL("../support/IpCheckProcess.ts", import.meta.url))

/** Starts a check with an idempotency key and kills its process at this point. The buyer has exactly the price. */
const killed = Effect.fnUntraced(function* (at: string) {
  const caller = yield* buyer(price)
  const [ip, key] = [newIp(), randomUUID()]
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: yield* TestDatabase.url,
    KILLED_AT: at,
    USER_ID: caller.user_id,
    IP: ip,
    KEY: key
  }
  const [, signal] = yield* Effect.promise(() =>
    once(spawn(process.execPath, [program], { env, stdio: ["ignore", "inherit", "inherit"] }), "exit")
  )
  assert.strictEqual(signal, "SIGKILL")
  return { caller, ip, key }
})

/** Ends the leases of the killed process: of the check and of its idempotency key. */
const lapse = Effect.fnUntraced(function* (ip: string, key = "") {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`UPDATE ip_check SET settle_at = ${now} WHERE ip = ${ip} AND status = 'pending'`
  yield* sql`UPDATE idempotency_key SET busy_until = ${now} WHERE key = ${key}`
})

/** Inserts a pending free check with a lease. */
const pending = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const { user_id } = yield* buyer(0n)
  const [id, ip, now] = [IpCheckId.make(randomUUID()), newIp(), yield* DateTime.now]
  const settle_at = DateTime.toDate(DateTime.add(now, { hours: 1 }))
  const times = { created_at: DateTime.toDate(now), settle_at }
  yield* sql`INSERT INTO ip_check ${sql.insert({ id, user_id, ip, status: "pending", is_free: true, amount: 0n, ...times })}`
  return { id, ip, user_id }
})

const statusesOf = (ip: string) => Effect.map(checksOf(ip), (checks) => checks.map(({ status }) => status))

const reports = [report("one")]
const complete = (id: IpCheckId) =>
  IpCheckSettlement.use((settlement) => settlement.complete(id, judge(reports, []), reports))

const payment = ["payment", -price] as const
const refund = ["refund", price] as const

layer(domain, { excludeTestServices: true })("An abandoned check", (it) => {
  it.effect.each(["asked", "answered"])(
    "that was killed when the vendors had been %s is refunded once, and its key pays for one result",
    (at) =>
      Effect.gen(function* () {
        const { caller, ip, key } = yield* killed(at)
        yield* IpCheckRecovery.run
        assert.deepStrictEqual([yield* statusesOf(ip), yield* balanceOf(caller.user_id)], [["pending"], 0n])
        yield* lapse(ip, key)
        yield* Effect.all([IpCheckRecovery.run, IpCheckRecovery.run], { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment, refund])

        const error = yield* Effect.flip(check(caller, ip, key))
        assert.strictEqual(error._tag, "IpCheckInterrupted")
        const { answer, replayed } = yield* check(caller, ip, key)
        assert.deepStrictEqual([answer.cached, replayed], [false, false])
        assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment, refund, payment])
        assert.deepStrictEqual(yield* statusesOf(ip), ["failed", "completed"])
      })
  )

  it.effect("that was killed after its result was stored is paid once, and its key answers the result", () =>
    Effect.gen(function* () {
      const { caller, ip, key } = yield* killed("completed")
      yield* lapse(ip, key)
      yield* IpCheckRecovery.run
      const { answer, replayed } = yield* check(caller, ip, key)
      const [stored] = yield* checksOf(ip)
      assert.deepStrictEqual(
        [answer.id, answer.charge.amount, answer.cached, replayed],
        [stored?.id, "0.05", false, true]
      )
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment])
    })
  )

  it.effect("is ended by the next request, before the next round of the job", () =>
    Effect.gen(function* () {
      const { ip } = yield* pending()
      yield* lapse(ip)
      const caller = yield* buyer(price)
      assert.isFalse((yield* check(caller, ip)).answer.cached)
      assert.deepStrictEqual(yield* statusesOf(ip), ["failed", "completed"])
    })
  )

  it.effect("is waited for while its lease runs, but not longer than the patience of a request", () =>
    Effect.gen(function* () {
      const { ip } = yield* pending()
      const caller = yield* buyer(price)
      const error = yield* Effect.provideService(Effect.flip(check(caller, ip)), Clock.Clock, AcceleratedClock.make(20))
      assert.strictEqual(error._tag, "IpCheckUnderWay")
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [])
    })
  )

  it.effect("returns its free check", () =>
    Effect.gen(function* () {
      const { ip, user_id } = yield* pending()
      const used = Effect.map(
        IpCheckQuota.use((quota) => quota.of(user_id)),
        (quota) => quota.used
      )
      assert.strictEqual(yield* used, 1)
      yield* lapse(ip)
      yield* IpCheckRecovery.run
      assert.strictEqual(yield* used, 0)
    })
  )

  it.effect("cannot complete after its lease, and is not failed when it completed in time", () =>
    Effect.gen(function* () {
      const slow = yield* pending()
      yield* lapse(slow.ip)
      assert.isTrue((yield* complete(slow.id))._tag === "None")
      const quick = yield* pending()
      assert.isTrue((yield* complete(quick.id))._tag === "Some")
      yield* IpCheckSettlement.use(({ fail }) => fail(quick.id, []))
      yield* IpCheckRecovery.run
      assert.deepStrictEqual([yield* statusesOf(slow.ip), yield* statusesOf(quick.ip)], [["failed"], ["completed"]])
      assert.isTrue((yield* complete(quick.id))._tag === "None")
    })
  )

  it.effect("keeps its row when the raw answers of vendors are removed after 30 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* buyer(0n)
      const answered = Effect.fnUntraced(function* (ago: { readonly hours: number }) {
        const check_id = yield* completed(user_id, newIp(), ago)
        const received_at = DateTime.toDate(DateTime.subtract(yield* DateTime.now, ago))
        yield* sql`INSERT INTO ip_vendor_answer ${sql.insert({ check_id, vendor: "one", status_code: 200, body: "{}", received_at })}`
        return check_id
      })
      const old = yield* answered({ hours: 30 * 24 + 1 })
      const young = yield* answered({ hours: 30 * 24 - 1 })
      yield* IpCheckCleanup.run
      const kept = yield* sql`
        SELECT c.id, a.vendor FROM ip_check c LEFT JOIN ip_vendor_answer a ON a.check_id = c.id
        WHERE c.id IN (${old}, ${young})
      `
      assert.deepStrictEqual(Object.fromEntries(kept.map(({ id, vendor }) => [id, vendor])), {
        [old]: null,
        [young]: "one"
      })
    })
  )
})
