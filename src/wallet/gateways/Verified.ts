import { Effect, type Schema } from "effect"
import { CallbackRefused } from "../PaymentErrors.ts"
import { GatewayFailed, type PaymentEvent } from "../PaymentGateway.ts"
import type { NotJson } from "./LosslessJson.ts"

/**
 * A call that cannot be trusted, read or checked with its gateway is refused: nothing changes, and the gateway sends
 * it again. What failed after the signature was found genuine is told to the log.
 */
export const orRefused = <R>(
  event: Effect.Effect<PaymentEvent, CallbackRefused | GatewayFailed | Schema.SchemaError | NotJson, R>
): Effect.Effect<PaymentEvent, CallbackRefused, R> =>
  event.pipe(
    Effect.tapError((error) =>
      error instanceof GatewayFailed
        ? Effect.logWarning("A payment gateway's call could not be taken", error.reason)
        : Effect.void
    ),
    Effect.mapError(() => new CallbackRefused())
  )
