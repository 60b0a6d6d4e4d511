import { ConfigProvider, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import type { Caller } from "../../src/accounts/Caller.ts"
import { IpCheckId } from "../../src/ip-check/IpCheck.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { IpChecks } from "../../src/ip-check/IpChecks.ts"
import { IpCheckSettlement } from "../../src/ip-check/IpCheckSettlement.ts"
import { IpCheckSettlementRepo } from "../../src/ip-check/IpCheckSettlementRepo.ts"
import { PublicIp } from "../../src/platform/outbound/PublicAddress.ts"
import { MemoryBlocklists } from "../support/MemoryBlocklists.ts"
import { MemoryIpVendors, report } from "../support/MemoryIpVendors.ts"
import * as Orders from "../support/OrderTesting.ts"

/** IP checks with their own database, vendors and blocklists in memory, and the services of orders. */
export const layer = Layer.mergeAll(
  IpChecks.layer,
  IpCheckQuota.layer,
  IpCheckSettlement.layer,
  IpCheckSettlementRepo.layer
).pipe(Layer.provideMerge([Orders.layer, MemoryBlocklists.layer, MemoryIpVendors.layer]))

/** The price of a check in micro-dollars. */
export const price = 50_000n

let last = 0

/** A new public address. */
export const newIp = () => Schema.decodeSync(PublicIp)(`8.${++last >> 8}.${last & 255}.1`)

export const check = (caller: Caller["Service"], ip: PublicIp, key?: string) =>
  IpChecks.use((checks) => checks.check(caller, ip, key))

interface StoredCheck {
  readonly id: string
  readonly status: string
  readonly is_free: boolean
}

/** All checks of an address, oldest first. */
export const checksOf = (ip: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<StoredCheck>`SELECT id, status, is_free FROM ip_check WHERE ip = ${ip} ORDER BY created_at`
  )

/** The types and amounts of the ledger entries of an account, oldest first. */
export const bookedBy = (user: UserId) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ transaction_type: string; amount: bigint }>`
        SELECT transaction_type, amount FROM wallet_transaction
        WHERE user_id = ${user} AND transaction_type <> 'deposit' ORDER BY seq
      `
    ),
    (rows) => rows.map(({ amount, transaction_type }) => [transaction_type, amount] as const)
  )

const signals = {
  tor: false,
  vpn: false,
  proxy_detected: false,
  datacenter: false,
  recent_abuse: false,
  known_abuser: false,
  blocklists: []
}

/** Inserts a free check that was completed this long ago. */
export const completed = Effect.fnUntraced(function* (
  user_id: UserId,
  ip: string,
  ago: Parameters<typeof DateTime.subtract>[1]
) {
  const sql = yield* SqlClient.SqlClient
  const id = IpCheckId.make(randomUUID())
  const at = DateTime.toDate(DateTime.subtract(yield* DateTime.now, ago))
  yield* sql`
    INSERT INTO ip_check (id, user_id, ip, status, is_free, amount, verdict, risk_score, signals, vendors, partial,
      created_at, completed_at)
    VALUES (${id}, ${user_id}, ${ip}, 'completed', true, 0, 'clean', 0, ${JSON.stringify(signals)}::jsonb, '[]', false,
      ${at}, ${at})
  `
  return id
})

export const payment = ["payment", -price] as const
export const refund = ["refund", price] as const

/** Builds the services of a process with these variables. */
export const withEnvironment = <A, E, R>(service: Layer.Layer<A, E, R>, environment: Record<string, string>) =>
  Layer.fresh(service).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))))

/** Uses the vendors of the sandbox. */
export const pretended = Effect.succeed([report("sandbox_reputation"), report("sandbox_anonymity")])

/** Makes the vendors answer this while an effect runs. */
export const withAnswer = <A, E, R>(
  answer: Parameters<MemoryIpVendors["Service"]["setAnswer"]>[0],
  work: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(MemoryIpVendors, (vendors) => {
    vendors.setAnswer(answer)
    return Effect.ensuring(
      work,
      Effect.sync(() => vendors.setAnswer())
    )
  })

export const slowly = Effect.delay(Effect.succeed([report("one"), report("two")]), "1 second")
