import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { IpNetwork } from "effect/net"
import { PlacedRule } from "../../gateway/PlacedRule.ts"
import { Line } from "../../platform/fields/Line.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { RuleNotFound, RuleRefused } from "./RuleErrors.ts"

export const RuleView = Schema.Struct({
  ...PlacedRule.fields,
  until_at: Schema.NullOr(Schema.DateTimeUtcFromString),
  placed_at: Schema.DateTimeUtcFromString
}).annotate({ identifier: "DestinationRule" })

const network = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      IpNetwork.fromString(text)._tag === "Success" || "must be a network such as 203.0.113.0/24 or 203.0.113.7/32"
  )
)

export const NewRule = Schema.Struct({
  ...Struct.pick(PlacedRule.fields, ["scope", "action", "first_port", "last_port", "host_suffix"]),
  scope_id: Schema.NullOr(Line(1, 100)).annotate({
    description: "The id of the account, the article, the order or the proxy; null for `platform`"
  }),
  network: Schema.NullOr(network),
  until_at: Schema.NullOr(Schema.DateTimeUtcFromString),
  reason: Line(1, 500)
})
  .check(
    Schema.makeFilter(({ first_port, host_suffix, last_port, network }) => [
      ...((first_port === null) === (last_port === null) && (first_port ?? 0) <= (last_port ?? 0)
        ? []
        : [{ path: ["last_port"], issue: "Give both ports, the smaller one first" }]),
      ...(host_suffix === null || network === null
        ? []
        : [{ path: ["network"], issue: "A rule has a host or a network, not both" }])
    ])
  )
  .annotate({ identifier: "NewDestinationRule" })

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class DestinationRulesApi extends HttpApiGroup.make("adminDestinationRules")
  .add(
    HttpApiEndpoint.get("listDestinationRules", "/destination-rules", {
      query: Keyset.query,
      success: Keyset.view(RuleView).annotate({ identifier: "DestinationRulePage" })
    })
      .annotate(RequiredPermission, "gateway.read")
      .annotateMerge(about("List rules about destinations", "Lists the rules, the newest first.")),

    HttpApiEndpoint.post("placeDestinationRule", "/destination-rules", {
      headers: StaffActionApi.headers,
      payload: NewRule,
      success: StaffActionApi.replayable(RuleView.pipe(HttpApiSchema.status(201))),
      error: [RuleRefused, ActionKeyReused, StepUpNeeded]
    })
      .annotate(RequiredPermission, "gateway.change")
      .annotateMerge(
        about(
          "Block or allow destinations",
          "Gateways apply the rule within a second, and close open connections that it forbids. The narrowest scope with a rule that fits decides; within a scope `deny` wins. A `deny` for the whole platform needs a fresh confirmation."
        )
      ),

    HttpApiEndpoint.delete("removeDestinationRule", "/destination-rules/:rule_id", {
      params: { rule_id: Schema.String.check(Schema.isUUID()) },
      payload: Schema.Struct({ reason: Line(1, 500) }),
      success: RuleView,
      error: RuleNotFound
    })
      .annotate(RequiredPermission, "gateway.change")
      .annotateMerge(about("Remove a rule", "Gateways apply it within a second. Answers the removed rule."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Destination rules")
  .annotate(OpenApi.Description, "The destinations that proxies of the built-in gateway may not reach.") {}
