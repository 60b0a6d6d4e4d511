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
    "A publicly routable IPv4 or IPv6 address, without brackets, zone or prefix length; an IPv4-mapped one is its IPv4 address",
  examples: ["8.8.8.8"]
}).pipe(Schema.decodeTo(PublicIp))

const Key = Schema.String.check(Schema.isUUID()).annotate({
  description: "Makes the request safe to retry for 24 hours: a UUID here, in the header as in the body",
  examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"]
})

export const Quota = Schema.Struct({
  entitled: Schema.Int.annotate({ description: "One for each delivered order", examples: [3] }),
  used: Schema.Int.annotate({ description: "Free checks that were spent", examples: [1] }),
  free_available: Schema.Int.annotate({ examples: [2] }),
  price: Schema.String.annotate({ description: "Of any other check; a decimal string", examples: ["0.05"] }),
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
      "Every delivered order grants one free check. `used` may exceed `entitled` when an order was cancelled later. A " +
        "check also costs nothing when a recent result for the same address is reused."
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
      "Asks the vendors and the blocklists about an address. `blacklisted`: a blocklist says not to route it; `risky`: a " +
        "vendor's band is `high_risk`; `suspicious`: a vendor's band is, or a vendor reports tor, vpn or recent abuse; else " +
        "`clean`. A vendor that did not answer and a blocklist that is not loaded count for nothing, and `partial` is true then: " +
        "the address may be known to them. Spends a free check, or the price from the USD " +
        "wallet; a result of the last hour for the same address, of whoever asked, is reused for nothing. `503` means that " +
        "fewer than half of the vendors answered, none is configured, or the service stopped meanwhile, and `409` with `check_in_progress` that the address is being checked for " +
        "somebody else: nothing was charged. At most 10 a minute. Send an idempotency key to make a retry safe: it answers " +
        "the stored result with `Idempotency-Replayed: true`."
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
      "What every published list that is held here says of an address, free of charge; vendors are never asked. A claim of " +
        "`blocklist` is the only one that decides a verdict. A list with `synced_at` null is not loaded (a service without " +
        "the internet, or one that has just started): it says nothing of the address, and its `listed` is false. At most " +
        "30 a minute."
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
      "The checks you made, newest first; answers that reused a recent result are not among them."
    )
  )

const get = HttpApiEndpoint.get("get", "/:check_id", {
  params: { check_id: IpCheckId },
  success: IpCheckView,
  error: [IpCheckNotFound, IpCheckNotYours]
})
  .annotate(RequiredScope, "account:read")
  .annotateMerge(
    described("Get a check", "A check you made, as it was answered. `403` means that it is another account's.")
  )

export class IpCheckApi extends HttpApiGroup.make("ipCheck")
  .add(quota, check, survey, history, get)
  .prefix("/ip-check")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "IP reputation",
      description:
        "What vendors and published blocklists know of a public address. A restricted API key needs `account:read`, and " +
        "`orders:write` for checks, which spend money."
    })
  ) {}
