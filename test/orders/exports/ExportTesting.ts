import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { UserId } from "../../../src/accounts/User.ts"
import { newPerson } from "../../contract/ContractTesting.ts"
import * as OrderRows from "../../support/OrderRows.ts"

/** A person with a session. */
export const customer = Effect.map(newPerson, ({ id, session }) => ({ user_id: UserId.make(id), user: session }))

/** Inserts running proxies of an account, each a second older than the one before. Returns their ids. */
export const newProxies = Effect.fnUntraced(function* (
  user_id: UserId,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
) {
  const sql = yield* SqlClient.SqlClient
  yield* OrderRows.offer
  const now = yield* DateTime.now
  const ids: Array<string> = []
  for (const [index, values] of rows.entries()) {
    const id = randomUUID()
    yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(id, user_id, DateTime.subtract(now, { seconds: index })))}`
    yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${id}`
    if (Object.keys(values).length > 0) yield* sql`UPDATE proxy_order SET ${sql.update(values)} WHERE id = ${id}`
    ids.push(id)
  }
  return ids
}, Effect.orDie)

/** Ends a proxy. */
export const end = (id: string | undefined) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.andThen(
      sql`UPDATE proxy_order SET proxy_status = 'expiring' WHERE id = ${id}`,
      sql`UPDATE proxy_order SET proxy_status = 'expired', status = 'expired' WHERE id = ${id}`
    )
  )
