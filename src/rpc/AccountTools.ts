import { Rpc, RpcGroup } from "effect/rpc"
import { UserView } from "../accounts/User.ts"
import { FlagsView } from "../flags/FlagsApi.ts"
import { reads, tool } from "./ToolAnnotations.ts"
import { noArguments } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const getMyAccount = Rpc.make("get_my_account", {
  payload: noArguments,
  success: UserView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get my account",
    description:
      "Returns the account that the API key belongs to: its email, name and referral code. Free. Changing it needs a signed-in person.",
    hints: reads,
    scope: "full-access"
  })
)

const listFlags = Rpc.make("list_flags", {
  payload: noArguments,
  success: FlagsView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List features",
    description:
      "Returns the optional features of the account, on or off. Free. `isp.city.enable`: list_offers filters by region and city. `ip_reputation.check.enabled`: check_ip and survey_ip work. `orders.mobile.extend.too_early_guard`: a mobile proxy can be extended only when at most 30 percent of its cycle remain.",
    hints: reads,
    scope: "full-access"
  })
)

/** The account of the key and its features. */
export const AccountTools = RpcGroup.make(getMyAccount, listFlags).middleware(ToolCaller)
