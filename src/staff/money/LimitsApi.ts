import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Line } from "../../platform/fields/Line.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { LimitName } from "../../wallet/adjustments/StaffLimit.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { StepUpNeeded } from "../StaffErrors.ts"
import { limitAmounts, LimitView } from "./LimitView.ts"

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const reason = Line(3, 500)

/** The amounts that each role moves alone. */
export class LimitsApi extends HttpApiGroup.make("adminLimits")
  .add(
    HttpApiEndpoint.get("listLimits", "/limits", {
      success: Schema.Struct({ items: Schema.Array(LimitView) }).annotate({ identifier: "StaffLimits" })
    })
      .annotate(RequiredPermission, "limit.read")
      .annotateMerge(
        about(
          "List the limits of staff",
          "Every role, action and currency, with the amounts that a person moves alone."
        )
      ),
    HttpApiEndpoint.put("setLimit", "/limits/:role/:action/:currency", {
      params: LimitName.fields,
      payload: Schema.Struct({ ...limitAmounts, reason }).annotate({ identifier: "NewStaffLimit" }),
      success: LimitView,
      error: [RequestInvalid, StepUpNeeded]
    })
      .annotate(RequiredPermission, "limit.change")
      .annotateMerge(
        about(
          "Set a limit",
          "It holds for actions that begin after the answer. It needs a fresh confirmation, so tokens cannot set it."
        )
      ),
    HttpApiEndpoint.delete("removeLimit", "/limits/:role/:action/:currency", {
      params: LimitName.fields,
      payload: Schema.Struct({ reason }).annotate({ identifier: "RemoveStaffLimit" }),
      success: LimitView,
      error: StepUpNeeded
    })
      .annotate(RequiredPermission, "limit.change")
      .annotateMerge(about("Remove a limit", "From then on a second person must agree to every such action."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Limits")
  .annotate(OpenApi.Description, "The amounts that each role of staff moves alone.") {}
