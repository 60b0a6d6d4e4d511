import { Effect, Option, Redacted, References, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as StripeEvents from "../wallet/gateways/StripeEvents.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import { type Check, failed } from "./Check.ts"
import { NotKnown } from "./NotKnown.ts"
import { isPublicUrl } from "./PublicPlace.ts"

const Endpoints = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ url: Schema.String, status: Schema.String, enabled_events: Schema.Array(Schema.String) })
  )
})

/** The webhook endpoints of the account (docs.stripe.com/api/webhook_endpoints/list). Stripe allows 16. */
const endpointsOf = Effect.fnUntraced(
  function* ({ api_url, secret_key }: GatewaySettings.StripeSettings) {
    const request = HttpClientRequest.get(`${api_url}/v1/webhook_endpoints?limit=100`).pipe(
      HttpClientRequest.bearerToken(Redacted.value(secret_key))
    )
    const response = yield* HttpClient.execute(request)
    if (response.status !== 200) return yield* new NotKnown({ reason: `it answers HTTP ${response.status}` })
    return (yield* Schema.decodeUnknownEffect(Endpoints)(yield* response.json)).data
  },
  Effect.timeout("10 seconds"),
  Effect.mapError((error) => {
    const reason = error._tag === "NotKnown" ? error.reason : "no answer that can be read"
    return new NotKnown({
      reason: `Stripe does not list your webhook endpoints (${reason}); see there that the events of docs/payments.md arrive, or let STRIPE_SECRET_KEY read webhook endpoints`
    })
  }),
  Effect.provideService(References.MinimumLogLevel, "None")
)

const events: Check = {
  id: "pay.stripe_events",
  severity: "error",
  asksOutside: true,
  run: Effect.gen(function* () {
    const { stripe } = yield* GatewaySettings.load
    const { base_url } = yield* Addresses
    // `pay.https` and `pay.localhost` say what is wrong with any other address.
    if (Option.isNone(stripe) || !isPublicUrl(base_url)) return undefined
    const url = `${base_url}/payments/callbacks/card_gateway`
    const endpoints = yield* endpointsOf(stripe.value)
    const ours = endpoints.filter((endpoint) => endpoint.url === url && endpoint.status === "enabled")
    if (ours.length === 0)
      return failed(
        `Stripe has no enabled webhook endpoint with the address ${url}, so payments count late; add it (docs/payments.md)`
      )
    const received = new Set(ours.flatMap(({ enabled_events }) => enabled_events))
    const missing = received.has("*") ? [] : StripeEvents.needed.filter((event) => !received.has(event))
    return missing.length === 0
      ? undefined
      : failed(`The webhook endpoint at Stripe does not receive ${missing.join(", ")}; add these events to it`)
  })
}

export const checks: ReadonlyArray<Check> = [events]
