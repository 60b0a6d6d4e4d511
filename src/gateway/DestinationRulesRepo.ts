import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { PlacedRule } from "./PlacedRule.ts"

const rows = Rows.all(PlacedRule)
const first = Rows.first(PlacedRule)
const encode = Schema.encodeEffect(PlacedRule)
const subject = Rows.first(Schema.Struct({ id: Schema.String }))
const count = Rows.one(Schema.Struct({ count: Schema.Int }))
const columns = Rows.columnsOf(PlacedRule)

export class DestinationRulesRepo extends Context.Service<DestinationRulesRepo>()("app/gateway/DestinationRulesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

    /** Tables that tell whether a subject exists, by scope. */
    const lookUp = (scope: "article" | "account" | "proxy", id: string) => {
      if (scope === "article") return sql`SELECT id FROM gateway_article WHERE id = ${id}`
      if (!isUuid(id)) return sql`SELECT NULL AS id WHERE false`
      return scope === "account"
        ? sql`SELECT id FROM user_account WHERE id = ${id}::uuid`
        : sql`SELECT id FROM gateway_proxy WHERE id = ${id}::uuid OR reference = ${id}::uuid`
    }

    return {
      list: (limit: number, after?: string) =>
        rows(sql`
          SELECT ${sql.literal(columns)} FROM destination_rule WHERE ${after ?? null}::uuid IS NULL OR id < ${after ?? null}::uuid
          ORDER BY id DESC LIMIT ${limit}
        `),
      find: (id: string) =>
        isUuid(id)
          ? first(sql`SELECT ${sql.literal(columns)} FROM destination_rule WHERE id = ${id}::uuid`).pipe(
              Effect.map(Option.getOrUndefined)
            )
          : Effect.succeed(undefined),
      count: Effect.map(count(sql`SELECT count(*)::int AS count FROM destination_rule`), ({ count }) => count),
      /** Finds the id that proxies carry of a subject. Null: there is none. */
      subject: (scope: "article" | "account" | "proxy", id: string) =>
        Effect.map(subject(lookUp(scope, id)), (found) => Option.getOrNull(Option.map(found, ({ id }) => id))),
      insert: Effect.fnUntraced(function* (rule: PlacedRule) {
        yield* sql`INSERT INTO destination_rule ${sql.insert(yield* encode(rule))}`
        return rule
      }, Effect.orDie),
      remove: (id: string) =>
        isUuid(id)
          ? first(sql`DELETE FROM destination_rule WHERE id = ${id}::uuid RETURNING ${sql.literal(columns)}`).pipe(
              Effect.map(Option.getOrUndefined)
            )
          : Effect.succeed(undefined)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
