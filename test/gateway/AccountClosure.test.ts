import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import { connectVia, drained } from "./ProxyClient.ts"
import { open, Origins, runningGateway, tunnelTo, via } from "./RunningGateway.ts"

/** Creates an account with an order for each proxy. */
const ownerOf = Effect.fnUntraced(function* (...proxies: ReadonlyArray<GatewayProxy>) {
  const sql = yield* SqlClient.SqlClient
  const user = yield* Fixtures.newUser
  yield* OrderRows.offer
  for (const { reference } of proxies) {
    const order = { ...OrderRows.paidOrder(reference, user, yield* DateTime.now), provider: "gateway" }
    yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
  }
  return user
})

const ends = (tunnels: ReadonlyArray<Promise<{ readonly at: number }>>) =>
  Effect.timeoutOrElse(
    Effect.promise(() => Promise.all(tunnels)),
    { duration: "1 minute", orElse: () => Effect.die(new Error("The tunnels go on")) }
  )

layer(runningGateway(), { excludeTestServices: true })("A deleted account", (it) => {
  it.effect("loses its proxies immediately, and no other account loses any", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { echo, flood } = yield* Origins
      const [first, second, other] = [yield* open(), yield* open({ kind: "mobile" }), yield* open()]
      const gone = yield* ownerOf(first, second)
      yield* ownerOf(other)
      const tunnels = [drained(yield* tunnelTo(first, flood)), drained(yield* tunnelTo(second, echo))]
      const stays = yield* tunnelTo(other, echo)
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = ${new Date()} WHERE id = ${gone}`
      yield* ends(tunnels)
      for (const proxy of [first, second]) {
        const code = yield* Effect.promise(() =>
          connectVia(via(proxy), `127.0.0.1:${echo}`).catch((error: NodeJS.ErrnoException) => error.code)
        )
        assert.match(String(code), /^ECONN(REFUSED|RESET)$/)
      }
      assert.isFalse(stays.destroyed)
      stays.destroy()
    })
  )

  it.effect("loses its proxies within a second or two when the notification of the change is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { flood } = yield* Origins
      const proxy = yield* open()
      const gone = yield* ownerOf(proxy)
      const tunnel = drained(yield* tunnelTo(proxy, flood))
      yield* sql`CREATE OR REPLACE FUNCTION wake_gateway_proxy(proxies uuid[]) RETURNS void LANGUAGE sql AS ''`
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = ${new Date()} WHERE id = ${gone}`
      yield* ends([tunnel])
    })
  )
})
