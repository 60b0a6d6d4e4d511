import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { defaults, FlagName } from "./Flag.ts"

export const FlagsView = Schema.Struct({
  flags: Schema.Record(FlagName, Schema.Boolean).annotate({
    description: "The state of every feature flag for your account: true means on",
    examples: [defaults]
  })
}).annotate({ identifier: "Flags" })

export class FlagsApi extends HttpApiGroup.make("flags")
  .add(
    HttpApiEndpoint.get("getFlags", "/flags", { success: FlagsView })
      .annotate(RequiredScope, "account:read")
      .annotate(OpenApi.Summary, "Get feature flags")
      .annotate(
        OpenApi.Description,
        "Shows the features that are on for your account. A change takes effect within 5 seconds. A restricted API key needs `account:read`."
      )
  )
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Flags")
  .annotate(
    OpenApi.Description,
    "Features that the operator switches on or off, for the platform or for one account."
  ) {}
