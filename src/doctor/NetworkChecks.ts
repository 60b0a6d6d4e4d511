import { Config, Context, Effect, Option, Schema } from "effect"
import { HttpClient } from "effect/http"
import { Addresses, ListeningHost } from "../platform/settings/Addresses.ts"
import { allowedEndpoints } from "../platform/outbound/AllowedEndpoints.ts"
import { TrustedProxies } from "../platform/requests/ClientAddress.ts"
import { type Check, failed } from "./Check.ts"
import { isSet } from "./IsSet.ts"
import { NotKnown } from "./NotKnown.ts"
import { isLoopback } from "./PublicPlace.ts"

/** True when the checks may call addresses of other machines. */
export const Online = Context.Reference<boolean>("app/doctor/Online", { defaultValue: () => false })

const isLive = Schema.is(Schema.Struct({ status: Schema.Literal("ok") }))

const answerOf = Effect.fnUntraced(function* (url: string) {
  const client = yield* HttpClient.HttpClient
  return yield* client.get(url).pipe(Effect.timeout("10 seconds"), Effect.option)
})

const checkAddress = "check the reverse proxy, its certificate, the firewall, and that the name leads to this machine"

const publicUrl: Check = {
  id: "net.public_url",
  severity: "blocker",
  asksOutside: true,
  run: Effect.gen(function* () {
    const { hostname, origin } = new URL((yield* Addresses).base_url)
    const url = `${origin}/health/live`
    const isOnline = yield* Online
    if (!isLoopback(hostname) && !isOnline) return yield* new NotKnown({ reason: `run doctor --online to ask ${url}` })
    const answer = yield* answerOf(url)
    if (Option.isNone(answer) && isOnline)
      return failed(`${url} does not answer; start the service, and ${checkAddress}`, "error")
    if (Option.isNone(answer)) return yield* new NotKnown({ reason: `${url} does not answer; start the service` })
    const response = answer.value
    const body = yield* Effect.orElseSucceed(response.json, () => undefined)
    return response.status === 200 && isLive(body)
      ? undefined
      : failed(
          `PUBLIC_URL is ${origin}, and another program answers there (HTTP ${response.status} for /health/live); set the address of this service`
        )
  })
}

const trustProxy: Check = {
  id: "net.trust_proxy",
  severity: "error",
  run: Effect.gen(function* () {
    const { base_url } = yield* Addresses
    const host = yield* ListeningHost
    return base_url.startsWith("https:") && isLoopback(host) && (yield* TrustedProxies) === 0
      ? failed(
          `PUBLIC_URL is https and HOST is ${host}, so a reverse proxy passes the requests on, but TRUST_PROXY is 0: all clients share one rate limit; set TRUST_PROXY to the number of reverse proxies`
        )
      : undefined
  })
}

const redis: Check = {
  id: "net.redis",
  severity: "error",
  run: Effect.gen(function* () {
    return (yield* isSet("INSTANCE_NAME")) && !(yield* isSet("REDIS_URL"))
      ? failed(
          "INSTANCE_NAME is set, so several instances run, but REDIS_URL is not: each instance counts the rate limits alone; set REDIS_URL"
        )
      : undefined
  })
}

const outboundAllow: Check = {
  id: "net.outbound_allow",
  severity: "error",
  run: Effect.map(allowedEndpoints("OUTBOUND_ALLOW"), (allowed) =>
    allowed.size === 0
      ? undefined
      : failed(
          `OUTBOUND_ALLOW lets the webhooks of any customer call ${[...allowed].join(", ")}, also without https; remove the setting`
        )
  )
}

const leastToken = 16

const metrics: Check = {
  id: "ops.metrics",
  severity: "warning",
  run: Effect.gen(function* () {
    const token = yield* Config.option(Config.String("METRICS_TOKEN"))
    if (Option.isNone(token))
      return failed("METRICS_TOKEN is not set: no alert can tell you of a fault; set it and collect /metrics")
    return token.value.length >= leastToken
      ? undefined
      : failed(
          `METRICS_TOKEN has fewer than ${leastToken} characters, so strangers can guess it and read /metrics; set a random text (openssl rand -hex 32)`
        )
  })
}

export const checks: ReadonlyArray<Check> = [publicUrl, trustProxy, redis, outboundAllow, metrics]
