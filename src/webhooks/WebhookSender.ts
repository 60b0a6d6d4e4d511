import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import { STATUS_CODES } from "node:http"
import { OutboundHttp, reasonOf } from "../platform/outbound/OutboundHttp.ts"
import type { Answer, Post } from "../platform/outbound/OutboundPost.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import type { AttemptResult } from "./WebhookAttempt.ts"
import { eventType } from "./WebhookEndpoint.ts"
import { bodyOf } from "./WebhookPayload.ts"
import { sign } from "./WebhookSignature.ts"

/** The time limit of a whole attempt, including name resolution (docs/contract.md, "Webhooks"). */
const limit = Duration.seconds(10)

/** Limits for reading the rest of an answer. Without reading it, the receiver would see a broken connection. */
const drainLimit = Duration.seconds(1)
const drainBytes = 16 * 1024

/** The valid secrets. The older one comes first because receivers learn the newer one later. */
const secretsOf = ({ previous_secret, signing_secret }: DueDelivery) =>
  previous_secret === null ? [signing_secret] : [previous_secret, signing_secret]

const requestFor = (delivery: DueDelivery, secrets: ReadonlyArray<string>, timestamp: number): Post => {
  const body = bodyOf(delivery)
  const [signature = "", alternate] = secrets.map((secret) =>
    sign({ secret, timestamp, delivery_id: delivery.id, body })
  )
  return {
    url: delivery.url,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Service-Webhooks/1.0",
      "X-Service-Event": eventType,
      "X-Service-Delivery-Id": delivery.id,
      "X-Service-Timestamp": String(timestamp),
      "X-Service-Signature": signature,
      ...(alternate === undefined ? {} : { "X-Service-Signature-Alternate": alternate })
    }
  }
}

/** True when the answer can mean that the receiver has another secret. */
const isRefusal = ({ status }: Answer) => status === 401 || status === 403

const errorOf = (status: number) => {
  if (status >= 200 && status < 300) return null
  const said = `The receiver answered ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd()
  return status >= 300 && status < 400 ? `${said}; the service follows no redirects` : said
}

const drain = (answer: Answer, left: Duration.Duration) =>
  Effect.timeoutOption(answer.rest(drainBytes), Duration.min(left, drainLimit))

/**
 * Makes one attempt to deliver an event and returns its result. Each attempt has its own signature
 * (docs/contract.md, "Webhooks"). An attempt never fails and always ends within 10 seconds. The receiver's status alone
 * decides the result.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    readonly attempt: (delivery: DueDelivery) => Effect.Effect<AttemptResult>
  }
>()("app/webhooks/WebhookSender") {
  static readonly layer = Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const outbound = yield* OutboundHttp

      const ask = (delivery: DueDelivery, secrets: ReadonlyArray<string>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          // The receiver may get a delivery twice: its id says so (docs/webhooks.md, "Act once").
          outbound.post(requestFor(delivery, secrets, Math.floor(now / 1000)))
        )

      /**
       * After a refusal, exchanges the two signatures and sends the attempt again, because some receivers read only one
       * of the headers.
       */
      const askWithEach = Effect.fnUntraced(function* (delivery: DueDelivery) {
        const secrets = secretsOf(delivery)
        const answer = yield* ask(delivery, secrets)
        if (secrets.length === 1 || !isRefusal(answer)) return answer
        yield* drain(answer, drainLimit)
        return yield* ask(delivery, secrets.toReversed())
      })

      const answerTo = (delivery: DueDelivery) =>
        askWithEach(delivery).pipe(
          // The runtime throws when it cannot begin a request.
          Effect.catchDefect(Effect.fail),
          Effect.mapError(reasonOf),
          Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail("No answer within 10 seconds") }),
          // The runtime accepts any three digits as a status.
          Effect.filterOrFail(
            ({ status }) => status >= 100,
            () => "The answer is not HTTP"
          )
        )

      const attempt = Effect.fn("WebhookSender.attempt")(function* (delivery: DueDelivery) {
        const [taken, answer] = yield* answerTo(delivery).pipe(Effect.result, Effect.timed)
        const duration_ms = Math.round(Duration.toMillis(taken))
        if (Result.isFailure(answer)) return { duration_ms, status_code: null, error: answer.failure }
        yield* drain(answer.success, Duration.subtract(limit, taken))
        const { status } = answer.success
        return { duration_ms, status_code: status, error: errorOf(status) }
      }, Effect.scoped)

      return { attempt }
    })
  )
}
