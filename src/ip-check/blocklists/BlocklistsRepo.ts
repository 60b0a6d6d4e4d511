import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { BlocklistState } from "./BlocklistState.ts"

const parts = Rows.stream(Schema.Struct({ networks: Schema.Uint8Array, ipv4: Schema.Int, ipv6: Schema.Int }))

const states = Rows.all(BlocklistState)

/** Reads the copies of published lists. */
export class BlocklistsRepo extends Context.Service<BlocklistsRepo>()("app/ip-check/BlocklistsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    // One statement, so that counts and networks belong to the same load.
    const partsOf = (id: string) => sql`
        SELECT sent.networks, sum(sent.ipv4) OVER ()::int AS ipv4, sum(sent.ipv6) OVER ()::int AS ipv6
        FROM blocklist_part CROSS JOIN LATERAL (
          SELECT string_agg(cidr_send(network), '' ORDER BY position) AS networks,
            count(*) FILTER (WHERE family(network) = 4) AS ipv4,
            count(*) FILTER (WHERE family(network) = 6) AS ipv6
          FROM unnest(networks) WITH ORDINALITY AS listed (network, position)
        ) AS sent
        WHERE blocklist_id = ${id} ORDER BY part
      `

    return {
      states: states(sql`SELECT * FROM blocklist`),
      /**
       * Streams the networks of a list in their order, in the format of `cidr_send`, several thousand per part. Each part
       * contains the counts of the whole list.
       */
      parts: (id: string) => parts(partsOf(id).stream),
      /** Runs `react` immediately and after every sync, until the connection is lost. */
      onChange: <R>(react: Effect.Effect<void, never, R>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const notifications = yield* sql.listen("blocklist")
            yield* react
            return yield* Effect.forever(Effect.andThen(Queue.takeAll(notifications), react))
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
