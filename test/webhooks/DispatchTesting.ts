import { PgClient } from "@effect/sql-pg"
import { DateTime, Deferred, Effect, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Wakes } from "../../src/platform/postgres/Wakes.ts"
import type { DueDelivery } from "../../src/webhooks/DueDelivery.ts"
import type { AttemptResult } from "../../src/webhooks/WebhookAttempt.ts"
import { WebhookDeliveriesRepo } from "../../src/webhooks/WebhookDeliveriesRepo.ts"
import { WebhookDispatcher } from "../../src/webhooks/WebhookDispatcher.ts"
import { WebhookResults } from "../../src/webhooks/WebhookResults.ts"
import * as WebhookRetries from "../../src/webhooks/WebhookRetries.ts"
import { WebhookSender } from "../../src/webhooks/WebhookSender.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** The services that sending needs, without a sender. */
export const layer = Layer.mergeAll(Notifications.layer, WebhookDeliveriesRepo.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

export const newEndpoint = (fields: object = {}) =>
  Effect.flatMap(Fixtures.newUser, (user_id) => Fixtures.newEndpoint(user_id, fields))
export type NewEndpoint = Effect.Success<ReturnType<typeof newEndpoint>>

/** Records changes of a proxy's status, due immediately. Returns the ids of the deliveries. */
export const record = Effect.fnUntraced(function* ({ id, user_id }: NewEndpoint, times = 1, fields: object = {}) {
  const sql = yield* PgClient.PgClient
  const now = DateTime.toDate(yield* DateTime.now)
  const events = Array.from({ length: times }, () => ({
    id: randomUUID() as string,
    user_id,
    order_id: randomUUID() as string,
    is_test: false,
    change_source: "status_changed",
    host: "192.0.2.1",
    port: 20_000,
    protocol: "HTTP",
    status: "expiring",
    previous_status: "active",
    expires_at: now,
    occurred_at: now
  }))
  const deliveries = events.map((event) => ({
    id: randomUUID() as string,
    endpoint_id: id,
    event_id: event.id,
    status: "pending",
    attempt: 0,
    next_attempt_at: now,
    created_at: now,
    ...fields
  }))
  yield* sql`
    INSERT INTO webhook_event SELECT * FROM jsonb_populate_recordset(NULL::webhook_event, ${sql.json(events)}::jsonb)
  `
  yield* sql`
    INSERT INTO webhook_delivery
    SELECT * FROM jsonb_populate_recordset(NULL::webhook_delivery, ${sql.json(deliveries)}::jsonb)
  `
  yield* Wakes.use(({ wake }) => wake("webhook_delivery", [id]))
  return deliveries.map((delivery) => delivery.id)
})

export const answer = (status_code: number): AttemptResult => ({
  duration_ms: 5,
  status_code,
  error: status_code >= 200 && status_code < 300 ? null : `The receiver answered ${status_code}`
})
export const noAnswer = (error: string): AttemptResult => ({ duration_ms: 5, status_code: null, error })

/** A dispatcher without network: `reply` decides each attempt; `hang` lasts until the scope closes. */
export const dispatching = Effect.fnUntraced(function* (
  reply: (delivery: DueDelivery, hang: Effect.Effect<AttemptResult>) => AttemptResult | Effect.Effect<AttemptResult>
) {
  const over = yield* Deferred.make<AttemptResult>()
  const sent: Array<DueDelivery> = []
  const begun = yield* Queue.unbounded<DueDelivery>()
  const sender = Layer.succeed(WebhookSender, {
    attempt: (delivery) =>
      Effect.suspend(() => {
        sent.push(delivery)
        Queue.offerUnsafe(begun, delivery)
        const result = reply(delivery, Deferred.await(over))
        return Effect.isEffect(result) ? result : Effect.succeed(result)
      })
  })
  const dispatcher = WebhookDispatcher.layerNoDeps.pipe(Layer.provide([Layer.fresh(WebhookResults.layer), sender]))
  const built = yield* Layer.build(Layer.fresh(dispatcher))
  yield* Effect.addFinalizer(() => Deferred.succeed(over, noAnswer("The test is over")))
  const { idle } = yield* Effect.provide(WebhookDispatcher, built)
  return {
    /** All attempts begun. */
    sent,
    /** The next one that begins. */
    next: Queue.take(begun),
    idle,
    /** One round of the job with all its effects. */
    round: Effect.andThen(Effect.provide(WebhookRetries.run, built), idle)
  }
})

/** The current delivery with its attempts. */
export const deliveryOf = Effect.fnUntraced(function* (id: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const [delivery] = yield* sql<any>`SELECT * FROM webhook_delivery WHERE id = ${id ?? null}`
  const attempts = yield* sql<any>`
    SELECT attempt, started_at, duration_ms, status_code, error FROM webhook_attempt
    WHERE delivery_id = ${id ?? null} ORDER BY attempt
  `
  return { ...delivery, attempts }
})

export const statusesOf = Effect.fnUntraced(function* ({ id }: NewEndpoint) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ status: string; count: number }>`
    SELECT status, count(*)::int AS count FROM webhook_delivery WHERE endpoint_id = ${id} GROUP BY status
  `
  return Object.fromEntries(rows.map(({ count, status }) => [status, count]))
})

export const endpointOf = Effect.fnUntraced(function* ({ id }: NewEndpoint) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<any>`SELECT * FROM webhook_endpoint WHERE id = ${id}`
  return Option.getOrThrow(Option.fromUndefinedOr(row))
})

export const changeEndpoint = Effect.fnUntraced(function* ({ id }: NewEndpoint, fields: object) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_endpoint SET ${sql.update({ ...fields })} WHERE id = ${id}`
})

export const noticesOf = Effect.fnUntraced(function* ({ user_id }: NewEndpoint) {
  const notifications = yield* Notifications
  const { notifications: told } = yield* notifications.list(user_id, undefined, { limit: 100, offset: 0 })
  return told.map(({ kind }) => kind).toReversed()
})

export const deleteAccount = Effect.fnUntraced(function* ({ user_id }: NewEndpoint) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email = NULL, deleted_at = updated_at WHERE id = ${user_id}`
})
