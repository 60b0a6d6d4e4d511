import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Keyset from "../Keyset.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { StaffNotFound, StaffTokenNotFound, StepUpNeeded } from "../StaffErrors.ts"
import { NewStaffToken, StaffTokenId, StaffTokenView } from "./StaffToken.ts"

const CreatedStaffToken = Schema.Struct({
  ...StaffTokenView.fields,
  token: Schema.String.annotate({
    description: "The token. Store it: the service shows it only here",
    examples: ["pst_0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  })
}).annotate({ identifier: "CreatedStaffToken" })

export class StaffTokensApi extends HttpApiGroup.make("adminStaffTokens")
  .add(
    HttpApiEndpoint.get("listStaffTokens", "/staff-tokens", {
      query: Keyset.query,
      success: Keyset.view(StaffTokenView).annotate({ identifier: "StaffTokenPage" })
    })
      .annotate(RequiredPermission, "staff.read")
      .annotate(OpenApi.Summary, "List tokens")
      .annotate(OpenApi.Description, "Lists the tokens of all staff, the newest first. It never returns the tokens."),
    HttpApiEndpoint.post("createStaffToken", "/staff-tokens", {
      payload: NewStaffToken,
      success: CreatedStaffToken.pipe(HttpApiSchema.status(201)),
      error: [StaffNotFound, StepUpNeeded, RequestInvalid]
    })
      .annotate(RequiredPermission, "staff.change")
      .annotate(OpenApi.Summary, "Create a token of your own")
      .annotate(
        OpenApi.Description,
        "Returns the token once. It may do what you choose of your own permissions, for at most a year, and ends when your role changes. Needs password and code of the last 5 minutes, so tokens cannot do it."
      ),
    HttpApiEndpoint.delete("revokeStaffToken", "/staff-tokens/:token_id", {
      params: { token_id: StaffTokenId },
      success: HttpApiSchema.Empty(204),
      error: [StaffTokenNotFound, StepUpNeeded]
    })
      .annotate(RequiredPermission, "staff.change")
      .annotate(OpenApi.Summary, "Revoke a token")
      .annotate(
        OpenApi.Description,
        "The token stops working immediately. Needs password and code of the last 5 minutes, so tokens cannot do it."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Tokens")
  .annotate(OpenApi.Description, "Tokens let programs of the operator call this API.") {}
