import { ByteSize, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CallbackTooLarge } from "./PaymentErrors.ts"
import { Payments } from "./Payments.ts"

const bodyLimit = ByteSize.kibibytes(64)

export const layer = HttpApiBuilder.group(
  Api,
  "payment-callbacks",
  Effect.fnUntraced(function* (handlers) {
    const payments = yield* Payments

    return handlers.handleRaw(
      "receiveCallback",
      Effect.fnUntraced(function* ({ params, request }) {
        const body = yield* request.arrayBuffer.pipe(
          Effect.provideService(HttpServerRequest.MaxBodySize, bodyLimit),
          Effect.mapError(() => new CallbackTooLarge())
        )
        yield* payments.receive(params.payment_method, { headers: request.headers, body: new Uint8Array(body) })
        return { received: true as const }
      })
    )
  })
)
