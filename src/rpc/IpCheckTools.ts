import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { IpCheckId } from "../ip-check/IpCheck.ts"
import { History, ip, Quota } from "../ip-check/IpCheckApi.ts"
import { IpCheckView } from "../ip-check/IpCheckView.ts"
import { Survey } from "../ip-check/IpSurvey.ts"
import { bought, previewOf } from "./PreviewPurchase.ts"
import { reads, spends, tool } from "./ToolAnnotations.ts"
import { noArguments, page, purchase } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const disabled = "403 FEATURE_DISABLED: checks are switched off for the account."

const getIpCheckQuota = Rpc.make("get_ip_check_quota", {
  payload: noArguments,
  success: Quota,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get the quota of free checks",
    description:
      "Answers the number of free address checks that are left (`free_available`; every delivered order adds one) and the price of any other check. Free. Use it before check_ip.",
    hints: reads,
    scope: "full-access"
  })
)

const CheckPreview = previewOf({
  ip: Schema.String,
  free_available: Schema.Int.annotate({ description: "Free checks left; a check spends one of them first" })
})

const checkIp = Rpc.make("check_ip", {
  payload: { ip, ...purchase },
  success: Schema.Union([CheckPreview, IpCheckView.mapFields((fields) => ({ ...bought, ...fields }))]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Check an address",
    description: `Asks reputation vendors and blocklists about an address and answers a verdict: blacklisted (a blocklist says not to route it), risky or suspicious (a vendor's band, tor, vpn or recent abuse), or clean. Spends a free check or the price from the USD wallet, and only with confirm=true; without it, answers the price, the free checks left and the next step. A result of the last hour for the same address is reused without a charge (\`cached\` true); the dry run does not look for one. survey_ip compares the blocklists alone, for free. At most 10 a minute: 429 with \`details.retry_after\` seconds. 409 insufficient_balance: a person must make a deposit. 403 daily_spend_limit_reached: the API key may not spend more today. 403 email_not_verified: no free check is left, and a person must verify the account's email, or claim an agent's account. 403 purchases_stopped: a payment was refunded or disputed, or the account is restricted; only the operator can help. 409 check_in_progress: a check of the address is running; nothing was charged, try again. 409 idempotency_key_reused: the key belongs to another address. 503: too few sources answered, or none is configured; nothing was charged. \`partial\` true: a vendor did not answer or a blocklist is not loaded, so a false signal may mean unknown. An address that is not public is an invalid argument (422). ${disabled}`,
    hints: { ...spends, isOpenWorld: true },
    scope: "full-access"
  })
)

const surveyIp = Rpc.make("survey_ip", {
  payload: { ip },
  success: Survey.mapFields((fields) => ({
    ...fields,
    not_loaded: Schema.Array(Schema.String).annotate({
      description: "The `source` of each list that is not loaded: `listed` false means unknown there"
    })
  })),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Compare the blocklists",
    description: `Looks an address up in every blocklist of the service. Free; it asks no vendor. Only a listing with claim \`blocklist\` means that the address should not be routed. The lists in \`not_loaded\` have no data yet: never report their \`listed\` false as "not listed". check_ip asks the vendors too. At most 30 a minute: 429 with \`details.retry_after\` seconds. An address that is not public is an invalid argument (422). ${disabled}`,
    hints: reads,
    scope: "full-access"
  })
)

const listIpChecks = Rpc.make("list_ip_checks", {
  payload: page(100, 50),
  success: History,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List address checks",
    description:
      "Lists the checks of the account, newest first, with verdict and price. The list does not contain answers that reused a recent result. Free.",
    hints: reads,
    scope: "full-access"
  })
)

const getIpCheck = Rpc.make("get_ip_check", {
  payload: { check_id: IpCheckId.annotate({ description: "The `id` of a check, from check_ip or list_ip_checks" }) },
  success: IpCheckView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get an address check",
    description:
      "Answers a check of the account with its result at that time. Free. 404: no such check. 403: another account made it.",
    hints: reads,
    scope: "full-access"
  })
)

/** The reputation of public addresses. */
export const IpCheckTools = RpcGroup.make(getIpCheckQuota, checkIp, surveyIp, listIpChecks, getIpCheck).middleware(
  ToolCaller
)
