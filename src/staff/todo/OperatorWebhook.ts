import { Clock, Config, Context, DateTime, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { OutboundHttp, reasonOf } from "../../platform/outbound/OutboundHttp.ts"
import { sign } from "../../webhooks/WebhookSignature.ts"
import type { TodoItem } from "./Todo.ts"

const timeout = "10 seconds"

/** `OPERATOR_WEBHOOK_URL`: the address that is notified of what waits for a person. */
const Url = Config.option(Config.NonEmptyString("OPERATOR_WEBHOOK_URL"))

/** `OPERATOR_WEBHOOK_SECRET`: the key of the signature, known only to the service and the receiver. */
const Secret = Config.schema(
  Schema.Redacted(
    Schema.Trim.check(Schema.makeFilter((text) => text.length >= 32 || "Expected a secret of at least 32 characters"))
  ),
  "OPERATOR_WEBHOOK_SECRET"
)

interface Notified {
  readonly delivery_id: string
  readonly notified_at: DateTime.Utc
  readonly item: TodoItem
  /** The page of the list. */
  readonly page: string
}

const bodyOf = ({ delivery_id, item, page, notified_at }: Notified) =>
  JSON.stringify({
    id: delivery_id,
    type: "todo.opened",
    occurred_at: DateTime.formatIso(notified_at),
    data: { ...item, since: DateTime.formatIso(item.since), url: page }
  })

/** The operator's own webhook: a call for each item of the to-do list, signed like the webhooks of customers. */
export class OperatorWebhook extends Context.Service<
  OperatorWebhook,
  {
    readonly isOn: boolean
    /** Makes one call. Fails with the reason when the receiver did not answer with 2xx. */
    readonly call: (notified: Notified) => Effect.Effect<void, string>
  }
>()("app/staff/OperatorWebhook") {
  static readonly layer = Layer.effect(
    OperatorWebhook,
    Effect.gen(function* () {
      const outbound = yield* OutboundHttp
      const url = Option.getOrUndefined(yield* Url)
      const secret = url === undefined ? Redacted.make("") : yield* Secret

      const post = Effect.fnUntraced(function* (to: string, notified: Notified) {
        const body = bodyOf(notified)
        const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const { delivery_id } = notified
        const answer = yield* outbound.post({
          url: to,
          body,
          headers: {
            "Content-Type": "application/json",
            "User-Agent": "Service-Webhooks/1.0",
            "X-Service-Event": "todo.opened",
            "X-Service-Delivery-Id": delivery_id,
            "X-Service-Timestamp": String(timestamp),
            "X-Service-Signature": sign({ secret: Redacted.value(secret), timestamp, delivery_id, body })
          }
        })
        return answer.status
      }, Effect.scoped)

      const call = Effect.fn("OperatorWebhook.call")(function* (notified: Notified) {
        if (url === undefined) return
        const status = yield* post(url, notified).pipe(
          Effect.catchDefect(Effect.fail),
          Effect.timeout(timeout),
          Effect.mapError(reasonOf),
          Effect.result
        )
        if (Result.isFailure(status)) return yield* Effect.fail(status.failure)
        if (status.success < 200 || status.success >= 300)
          return yield* Effect.fail(`The receiver answered ${status.success}`)
      })

      return { isOn: url !== undefined, call }
    })
  )
}
