import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { defaults, FlagName } from "./Flag.ts"

export const FlagsAnswer = Schema.Struct({
  flags: Schema.Record(FlagName, Schema.Boolean).annotate({
    description: "Every feature flag: whether it is on for your account",
    examples: [defaults]
  })
}).annotate({ identifier: "Flags" })

export class FlagsApi extends HttpApiGroup.make("flags")
  .add(
    HttpApiEndpoint.get("getFlags", "/flags", { success: FlagsAnswer })
      .annotate(RequiredScope, "account:read")
      .annotate(OpenApi.Summary, "Get feature flags")
      .annotate(
        OpenApi.Description,
        "Which features are on for your account. A change may take 5 seconds to show. A restricted API key needs `account:read`."
      )
  )
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Flags")
  .annotate(OpenApi.Description, "Features that are switched on or off, for the platform or for an account.") {}
