import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { wholeNumber } from "../../platform/fields/WholeNumber.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { headers, replayable } from "../../idempotency/IdempotencyKeyApi.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { OrderId } from "../Order.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { ChangeUnsettled } from "../changes/ProxyChangeErrors.ts"
import {
  OperationUnsupported,
  ProviderDown,
  ProviderSaidNo,
  ProxyBusy,
  ProxyNotLive,
  ProxyStopped,
  WrongProxyKind
} from "../proxies/ProxyErrors.ts"
import { ProxyCheckView } from "./ProxyCheckView.ts"
import { NoAddressLeft, NotFailing } from "./ReplacementErrors.ts"
import { ReplacementView } from "./ReplacementView.ts"
import { UptimeView } from "./UptimeView.ts"

const params = { order_id: OrderId }

const days = wholeNumber(1, 30, { default: 7 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("7")))

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const check = HttpApiEndpoint.post("check", "/:order_id/check", {
  params,
  success: ProxyCheckView,
  error: [OrderNotFound, OrderNotYours, ProxyNotLive, WrongProxyKind, ProxyBusy, RateLimited]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Check a proxy",
      "Tries a proxy now, compares its exit address, and tells whether the warranty replaces it free of charge. Takes at most 10 seconds. The proxies of the service's own gateway are tried without your login, whitelist and traffic; a vendor's proxy with its login, for some kilobytes of its traffic. At most 6 checks of an account in a minute; more answer `429` with `Retry-After`. `409` while another check of the proxy runs."
    )
  )

const uptime = HttpApiEndpoint.get("uptime", "/:order_id/uptime", {
  params,
  query: { days },
  success: UptimeView,
  error: [OrderNotFound, OrderNotYours]
})
  .annotate(RequiredScope, "orders:read")
  .annotateMerge(
    described(
      "Uptime of a proxy",
      "Shows how the tries of a proxy ended in the last `days`, by hour and vantage. The service tries the proxies of its own gateway every few minutes, and a vendor's proxy with unlimited traffic every ten. Other proxies are tried when you check them. Hours are kept for 31 days."
    )
  )

const replace = HttpApiEndpoint.post("replace", "/:order_id/replace", {
  params,
  headers,
  payload: Schema.Struct({
    dry_run: optional(Schema.Boolean, {
      description: "True changes nothing, and answers whether the replacement is free now, and why"
    }),
    idempotency_key: optional(Schema.String.check(Schema.isUUID()), {
      description: "Makes the request safe to retry; the header Idempotency-Key does the same"
    })
  }).annotate({ examples: [{ dry_run: true }] }),
  success: replayable(ReplacementView),
  error: [
    OrderNotFound,
    OrderNotYours,
    ProxyNotLive,
    ProxyStopped,
    WrongProxyKind,
    OperationUnsupported,
    ProxyBusy,
    NotFailing,
    NoAddressLeft,
    ProviderSaidNo,
    ProviderDown,
    ChangeUnsettled,
    IdempotencyKeyReused,
    RequestStillRunning,
    RequestInvalid
  ]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace a proxy",
      "Moves a static proxy to another exit address of the same kind and country. Host, port, logins, whitelist, end and traffic stay; open connections end. Free: a proxy that has failed three times in a row within the last 10 minutes, and any proxy once within 24 hours of its delivery. Else `409` with `details.reason` `not_failing`; `out_of_stock` while no other address is free. `400` for mobile rotating proxies, and when the provider gives no other address. Try it with `dry_run` first."
    )
  )

const AutoReplaceView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  auto_replace: Schema.Boolean
}).annotate({ identifier: "AutoReplace" })

const autoReplace = HttpApiEndpoint.put("autoReplace", "/:order_id/auto-replace", {
  params,
  payload: Schema.Struct({ enabled: Schema.Boolean }),
  success: AutoReplaceView,
  error: [OrderNotFound, OrderNotYours]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Switch automatic replacement",
      "While it is on, the service replaces a static proxy that fails for half an hour without a request, free of charge. It is on by default. Switch it off if your systems know the exit address of the proxy; the time of an outage is credited all the same."
    )
  )

/** Checks of proxies, and what the service does about those that fail. */
export class WarrantyApi extends HttpApiGroup.make("warranty")
  .add(check, uptime, replace, autoReplace)
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "Warranty", description: "Whether proxies work, and what follows if not" })
  ) {}
