import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { Api } from "../../Api.ts"
import { CallbackTooLarge } from "../PaymentErrors.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { Payments } from "./Payments.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "payment-callbacks",
  Effect.fnUntraced(function* (handlers) {
    const limits = yield* AuthLimits
    const payments = yield* Payments

    /** Limits only refused calls, because all genuine calls come from a few addresses of the gateway. */
    const received = Effect.fnUntraced(function* (method: PaymentMethod, request: HttpServerRequest.HttpServerRequest) {
      const body = yield* Effect.mapError(request.arrayBuffer, () => new CallbackTooLarge())
      const raw = { headers: request.headers, body: new Uint8Array(body) }
      yield* Effect.tapErrorTag(payments.receive(method, raw), ["CallbackRefused", "CallbackUnexpected"], () =>
        Effect.andThen(limits.address("payment-callback"), payments.noteRefused(method, raw))
      )
      return { received: true as const }
    })

    return handlers.handleRaw(
      "receiveCallback",
      Effect.fnUntraced(function* ({ params, request }) {
        return yield* received(params.payment_method, request).pipe(
          Effect.tapErrorTag("CallbackTooLarge", () => limits.address("payment-callback"))
        )
      })
    )
  })
)
