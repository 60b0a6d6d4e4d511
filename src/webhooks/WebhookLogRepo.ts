import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Wakes } from "../platform/postgres/Wakes.ts"
import { LoggedDelivery } from "./LoggedDelivery.ts"
import { WebhookAttempt } from "./WebhookAttempt.ts"
import { type DeliveryStatus, WebhookDelivery, type WebhookDeliveryId } from "./WebhookDelivery.ts"
import type { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookDeliveryNotFound } from "./WebhookErrors.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

const read = Rows.all(LoggedDelivery)
const readAttempts = Rows.all(WebhookAttempt)
const encodeEvent = Schema.encodeEffect(WebhookEvent.insert)
const encodeDelivery = Schema.encodeEffect(WebhookDelivery.insert)
const encodeAttempt = Schema.encodeEffect(WebhookAttempt.insert)

/** Reads the delivery; fails when it does not exist. */
const one = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  Effect.flatMap(read(query), ([found]) =>
    found === undefined ? new WebhookDeliveryNotFound() : Effect.succeed(found)
  )

/** The rows of events, deliveries and attempts. */
export class WebhookLogRepo extends Context.Service<WebhookLogRepo>()("app/webhooks/WebhookLogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { wake } = yield* Wakes

    const matching = (endpoint_id: WebhookEndpointId, status: DeliveryStatus | undefined) => {
      const all = sql`d.endpoint_id = ${endpoint_id}`
      return status === undefined ? all : sql`${all} AND d.status = ${status}`
    }
    const logged = sql`
      SELECT d.*, to_jsonb(v) AS event FROM webhook_delivery d JOIN webhook_event v ON v.id = d.event_id
    `
    const named = (endpoint_id: WebhookEndpointId, id: WebhookDeliveryId) =>
      sql`${logged} WHERE ${matching(endpoint_id, undefined)} AND d.id = ${id}`

    return {
      list: (endpoint_id: WebhookEndpointId, status: DeliveryStatus | undefined, { limit, offset }: Page) =>
        sql`
          ${logged} WHERE ${matching(endpoint_id, status)}
          ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit} OFFSET ${offset}
        `.pipe(read),

      count: (endpoint_id: WebhookEndpointId, status: DeliveryStatus | undefined) =>
        sql<{ total: number }>`
          SELECT count(*)::int AS total FROM webhook_delivery d WHERE ${matching(endpoint_id, status)}
        `.pipe(
          Effect.map(([row]) => row?.total ?? 0),
          Effect.orDie
        ),

      find: (endpoint_id: WebhookEndpointId, id: WebhookDeliveryId) => one(named(endpoint_id, id)),

      /** Keeps the delivery and its event until the transaction ends. */
      keep: (endpoint_id: WebhookEndpointId, id: WebhookDeliveryId) =>
        one(sql`${named(endpoint_id, id)} FOR KEY SHARE OF d`),

      attempts: (id: WebhookDeliveryId) =>
        sql`SELECT * FROM webhook_attempt WHERE delivery_id = ${id} ORDER BY attempt`.pipe(readAttempts),

      /** True when this delivery or another one of the same event is pending at the endpoint. */
      isPending: ({ endpoint_id, event_id }: Pick<LoggedDelivery, "endpoint_id" | "event_id">) =>
        sql`
          SELECT FROM webhook_delivery
          WHERE endpoint_id = ${endpoint_id} AND event_id = ${event_id} AND status = 'pending' LIMIT 1
        `.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),

      insertEvent: (event: typeof WebhookEvent.insert.Type) =>
        encodeEvent(event).pipe(
          Effect.flatMap((row) => sql`INSERT INTO webhook_event ${sql.insert(row)}`),
          Effect.orDie
        ),

      /** Adds a delivery and wakes the dispatchers for a pending one. */
      insert: (delivery: typeof WebhookDelivery.insert.Type) =>
        encodeDelivery(delivery).pipe(
          Effect.flatMap((row) => sql`INSERT INTO webhook_delivery ${sql.insert(row)}`),
          Effect.andThen(wake("webhook_delivery", delivery.status === "pending" ? [delivery.endpoint_id] : [])),
          Effect.orDie
        ),

      insertAttempt: (attempt: typeof WebhookAttempt.insert.Type) =>
        encodeAttempt(attempt).pipe(
          Effect.flatMap((row) => sql`INSERT INTO webhook_attempt ${sql.insert(row)}`),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
