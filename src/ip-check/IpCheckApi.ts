import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import { replayable } from "../idempotency/IdempotencyKeyApi.ts"
import { optional } from "../platform/fields/Optional.ts"
import * as Page from "../platform/fields/Page.ts"
import { PublicIp } from "../platform/outbound/PublicAddress.ts"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"
import {
  DailySpendLimitReached,
  EmailNotVerified,
  InsufficientBalance,
  PurchasesStopped
} from "../wallet/WalletErrors.ts"
import { IpCheckId } from "./IpCheck.ts"
import {
  IpCheckInterrupted,
  IpCheckNotFound,
  IpCheckNotYours,
  IpChecksDisabled,
  IpCheckUnderWay,
  NoSources,
  TooFewSources
} from "./IpCheckErrors.ts"
import { IpCheckView, ListedIpCheckView } from "./IpCheckView.ts"
import { Survey } from "./IpSurvey.ts"

export const ip = Schema.String.annotate({
  description:
    "A publicly routable IPv4 or IPv6 address, without brackets, zone or prefix length. An IPv4-mapped IPv6 address counts as its IPv4 address",
  examples: ["8.8.8.8"]
}).pipe(Schema.decodeTo(PublicIp))

const Key = Schema.String.check(Schema.isUUID()).annotate({
  description: "A UUID that makes the request safe to retry for 24 hours. Send it in the header or in the body",
  examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"]
})

export const Quota = Schema.Struct({
  entitled: Schema.Int.annotate({ description: "One free check for each delivered order", examples: [3] }),
  used: Schema.Int.annotate({ description: "Free checks that the account has used", examples: [1] }),
  free_available: Schema.Int.annotate({ examples: [2] }),
  price: Schema.String.annotate({
    description: "The price of a check that is not free, as a decimal string",
    examples: ["0.05"]
  }),
  currency: Schema.Literal("USD")
}).annotate({ identifier: "IpCheckQuota" })

export const History = Schema.Struct({
  checks: Schema.Array(ListedIpCheckView),
  total: Schema.Int.annotate({ examples: [1] }),
  limit: Schema.Int.annotate({ examples: [50] }),
  offset: Schema.Int.annotate({ examples: [0] })
}).annotate({ identifier: "IpCheckHistory" })

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const quota = HttpApiEndpoint.get("quota", "/quota", { success: Quota })
  .annotate(RequiredScope, "account:read")
  .annotateMerge(
    described(
      "Get the quota of free checks",
      "Every delivered order grants one free check. `used` may exceed `entitled` when an order is cancelled later. A check " +
        "that reuses a recent result for the same address also costs nothing."
    )
  )

const check = HttpApiEndpoint.post("check", "/", {
  headers: { "idempotency-key": Schema.optionalKey(Key) },
  payload: Schema.Struct({ ip, idempotency_key: optional(Key) }),
  success: replayable(IpCheckView),
  error: [
    IpChecksDisabled,
    RequestInvalid,
    InsufficientBalance,
    PurchasesStopped,
    DailySpendLimitReached,
    EmailNotVerified,
    IdempotencyKeyReused,
    RequestStillRunning,
    IpCheckUnderWay,
    TooFewSources,
    NoSources,
    IpCheckInterrupted
  ]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Check an address",
      "Asks the vendors and the blocklists about an address. The verdict is `blacklisted` when a blocklist contains the " +
        "address; else `risky` when a vendor's band is `high_risk`; else `suspicious` when a vendor's band is `suspicious`, or a " +
        "vendor reports tor, vpn or recent abuse; else `clean`. `partial` is true when a vendor did not answer or a blocklist " +
        "is not loaded: that source does not count, although it may list the address. The check uses a free check, or costs " +
        "the price from the USD wallet. A result of the last hour for the same address is reused and costs nothing, even " +
        "if another account made it. `503` means that fewer than half of the vendors answered, that no vendor is configured, " +
        "or that the service stopped during the check. `409` with `check_in_progress` means that another request is checking " +
        "the same address. In both cases nothing is charged. The rate limit is 10 checks per minute and account. Send an " +
        "idempotency key to make a retry safe: a repeated request answers the stored result with `Idempotency-Replayed: true`."
    )
  )

const survey = HttpApiEndpoint.post("survey", "/sources", {
  payload: Schema.Struct({ ip }),
  success: Survey,
  error: [IpChecksDisabled, RequestInvalid]
})
  .annotate(RequiredScope, "account:read")
  .annotateMerge(
    described(
      "Compare the blocklists",
      "Compares the address with every published list that the service holds. Free of charge; no vendor is asked. Only a " +
        "claim of `blocklist` decides a verdict. A list with `synced_at` null is not loaded, because the service has just " +
        "started or cannot reach the publisher: its `listed` is false and tells nothing. The rate limit is 30 requests per " +
        "minute and account."
    )
  )

const history = HttpApiEndpoint.get("history", "/history", {
  query: Page.query(100, 50),
  success: History
})
  .annotate(RequiredScope, "account:read")
  .annotateMerge(
    described(
      "List checks",
      "Lists the checks of your account, newest first. Answers that reused a recent result are not included."
    )
  )

const get = HttpApiEndpoint.get("get", "/:check_id", {
  params: { check_id: IpCheckId },
  success: IpCheckView,
  error: [IpCheckNotFound, IpCheckNotYours]
})
  .annotate(RequiredScope, "account:read")
  .annotateMerge(
    described(
      "Get a check",
      "Returns a stored check of your account. `403` means that the check belongs to another account."
    )
  )

export class IpCheckApi extends HttpApiGroup.make("ipCheck")
  .add(quota, check, survey, history, get)
  .prefix("/ip-check")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "IP reputation",
      description:
        "Checks the reputation of a public address with vendors and published blocklists. A restricted API key needs " +
        "`account:read`, and `orders:write` for checks, because they spend money."
    })
  ) {}
