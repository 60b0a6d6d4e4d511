import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixtures from "../support/Fixtures.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { request } from "../support/TestServer.ts"
import { signedIn } from "./DeskTesting.ts"

interface Row {
  readonly id: string
  readonly status: string
  readonly proxy_status: string
  readonly notes: string | null
  readonly tags: ReadonlyArray<string>
  readonly username: string
  readonly password: string
  readonly host: string
  readonly port: number
  readonly whitelisted_ips: ReadonlyArray<string>
  readonly bandwidth_gb: number | null
  readonly expires_at: Date
}

/** A person with a proxy, at its page. */
export const atProxy = Effect.fnUntraced(function* (
  name: "Datacenter" | "Residential" | "Mobile" = "Datacenter",
  fields: object = {}
) {
  const person = yield* signedIn
  yield* Fixtures.fund(person.user_id, 100_000_000n)
  const { body } = yield* request("POST", "/v1/orders", {
    user: person.account.token,
    body: {
      offer_id: yield* Testing.offerId(name),
      payment_method: "wallet",
      ...(name === "Mobile" && { tarification_index: 1 }),
      ...fields
    }
  })
  const id: string = body[0].id
  const path = `proxies/${id}`
  const memory = yield* MemoryProvider
  const sql = yield* SqlClient.SqlClient
  const row = Effect.map(sql<Row>`SELECT * FROM proxy_order WHERE id = ${id}`, ([row]) => {
    if (row === undefined) throw new Error(`no order ${id}`)
    return row
  })
  yield* person.visit(path)
  return { ...person, id, path, memory, row, balance: Testing.balanceOf(person.user_id) }
})
