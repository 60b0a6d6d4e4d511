import { Context, DateTime, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { WebhookEndpoint, type WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookAlreadyEnabled, WebhookNotFound } from "./WebhookErrors.ts"

const Configuration = Schema.Struct(
  Struct.pick(WebhookEndpoint.fields, ["url", "enabled", "failing_since", "failure_warned_at", "updated_at"])
)

const read = Rows.all(WebhookEndpoint)
const inserted = Rows.one(WebhookEndpoint)
const encode = Schema.encodeEffect(WebhookEndpoint.insert)
const encodeConfiguration = Schema.encodeEffect(Configuration)

/** The database allows one enabled endpoint for each account. */
const oneEnabled = <A>(write: Effect.Effect<A, SqlError.SqlError | Schema.SchemaError>) =>
  write.pipe(
    Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(new WebhookAlreadyEnabled({ details: {} }))),
    Effect.catchTags({ SqlError: Effect.die, SchemaError: Effect.die })
  )

/** A rotation of an endpoint's secret. */
interface Rotation {
  readonly owner: UserId
  readonly id: WebhookEndpointId
  readonly now: DateTime.Utc
  readonly ends_at: DateTime.Utc | null
}

/** Reads the endpoint; fails when it does not exist. */
const one = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  Effect.flatMap(read(query), ([endpoint]) =>
    endpoint === undefined ? new WebhookNotFound() : Effect.succeed(endpoint)
  )

/** The endpoints of an account. Endpoints of other accounts are not found. */
export class WebhookEndpointsRepo extends Context.Service<WebhookEndpointsRepo>()("app/webhooks/WebhookEndpointsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owned = (user_id: UserId, id: WebhookEndpointId) => sql`
      SELECT * FROM webhook_endpoint WHERE id = ${id} AND user_id = ${user_id}
    `

    return {
      list: (user_id: UserId, { limit, offset }: Page) =>
        sql`
          SELECT * FROM webhook_endpoint WHERE user_id = ${user_id}
          ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
        `.pipe(read),

      count: (user_id: UserId) =>
        sql<{ total: number }>`SELECT count(*)::int AS total FROM webhook_endpoint WHERE user_id = ${user_id}`.pipe(
          Effect.map(([row]) => row?.total ?? 0),
          Effect.orDie
        ),

      find: (user_id: UserId, id: WebhookEndpointId) => one(owned(user_id, id)),

      /** Locks the endpoint, always before its deliveries. Waits for an event that the database is recording. */
      lock: (user_id: UserId, id: WebhookEndpointId) => one(sql`${owned(user_id, id)} FOR UPDATE`),

      insert: (endpoint: typeof WebhookEndpoint.insert.Type) =>
        encode(endpoint).pipe(
          Effect.flatMap((row) => sql`INSERT INTO webhook_endpoint ${sql.insert(row)} RETURNING *`),
          oneEnabled,
          Effect.flatMap((rows) => inserted(Effect.succeed(rows)))
        ),

      configure: (id: WebhookEndpointId, configuration: typeof Configuration.Type) =>
        encodeConfiguration(configuration).pipe(
          Effect.flatMap((row) => sql`UPDATE webhook_endpoint SET ${sql.update(row)} WHERE id = ${id}`),
          oneEnabled
        ),

      /** The old secret stays valid until `ends_at`; null ends it immediately. */
      replaceSecret: (
        { signing_secret, secret_preview }: Pick<WebhookEndpoint, "signing_secret" | "secret_preview">,
        { ends_at, id, now, owner }: Rotation
      ) => {
        const ends = ends_at === null ? null : DateTime.toDate(ends_at)
        return one(sql`
          UPDATE webhook_endpoint SET previous_secret = CASE WHEN ${ends}::timestamptz IS NOT NULL THEN signing_secret END,
            ${sql.update({
              signing_secret,
              secret_preview,
              previous_secret_ends_at: ends,
              updated_at: DateTime.toDate(now)
            })}
          WHERE id = ${id} AND user_id = ${owner} RETURNING *
        `)
      },

      /** A delivered test ends a series of failures. A failed test begins none. */
      tested: (id: WebhookEndpointId, at: DateTime.Utc, delivered: boolean) =>
        Effect.orDie(sql`
          UPDATE webhook_endpoint SET last_test_at = greatest(last_test_at, ${DateTime.toDate(at)}),
            failing_since = CASE WHEN ${delivered} THEN NULL ELSE failing_since END,
            failure_warned_at = CASE WHEN ${delivered} THEN NULL ELSE failure_warned_at END
          WHERE id = ${id}
        `),

      /** Removes the endpoint with its deliveries. */
      remove: (user_id: UserId, id: WebhookEndpointId) =>
        one(sql`DELETE FROM webhook_endpoint WHERE id = ${id} AND user_id = ${user_id} RETURNING *`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
