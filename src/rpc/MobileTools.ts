import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { MobileSnapshotView } from "../orders/proxies/MobileSnapshotView.ts"
import { Text } from "../platform/fields/Text.ts"
import { ExtensionPreview } from "./PreviewProxyChange.ts"
import { bought } from "./PreviewPurchase.ts"
import { spending, spendingErrors } from "./ProxyTools.ts"
import { adds, reads, sets, spends, tool } from "./ToolAnnotations.ts"
import { noArguments, order_id, purchase, tarification_index } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const errors =
  "400: the order is not for a mobile rotating proxy, has no live proxy, or its provider does not have this operation. 404 or 403: it is not one of the account's orders. 409 operation_in_progress: another operation on the proxy is running; try again in a moment. 409 provider_refused: nothing was changed. 503: the provider does not answer; try again."

const extendMobileProxy = Rpc.make("extend_mobile_proxy", {
  payload: {
    order_id,
    tarification_index: tarification_index.annotate({
      description: "The zero-based position of an option in the offer's `options`; list_offers has them"
    }),
    ...purchase
  },
  success: Schema.Union([ExtensionPreview, MobileSnapshotView.mapFields((fields) => ({ ...bought, ...fields }))]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Extend a mobile proxy",
    description: `Begins another cycle of a mobile rotating proxy, with the tariff that you choose. The cycle begins immediately, and the remaining time and traffic of the running cycle are lost: extend when little remains. ${spending} 400 also means that it is too early: more than 30 percent of the cycle remains, and the account has the flag \`orders.mobile.extend.too_early_guard\` on. ${spendingErrors}`,
    hints: spends,
    scope: "full-access"
  })
)

const resetMobileIp = Rpc.make("reset_mobile_ip", {
  payload: { order_id },
  success: MobileSnapshotView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Rotate a mobile address",
    description: `Gives a mobile rotating proxy another exit address immediately; host, port and credentials stay. Free. The new address is in \`current_ip\`. At most once in 5 seconds for a proxy: 429 with \`details.retry_after\` seconds. ${errors}`,
    hints: adds,
    scope: "full-access"
  })
)

const listMobileSignatures = Rpc.make("list_mobile_signatures", {
  payload: noArguments,
  success: Schema.Struct({ signatures: Schema.Array(Schema.String) }),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List device signatures",
    description: "Lists the device signatures that set_mobile_signature takes; a provider may offer only some. Free.",
    hints: reads,
    scope: "full-access"
  })
)

const setMobileSignature = Rpc.make("set_mobile_signature", {
  payload: {
    order_id,
    signature: Text(1, 64).annotate({ description: "One of list_mobile_signatures, such as android" })
  },
  success: MobileSnapshotView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Set a device signature",
    description: `Sets the device signature that destinations see from a mobile rotating proxy. Free. Returns the proxy after the change. 422: its provider does not offer this signature; the answer lists the signatures on offer. ${errors}`,
    hints: sets,
    scope: "full-access"
  })
)

/** The operations of mobile rotating proxies only. */
export const MobileTools = RpcGroup.make(
  extendMobileProxy,
  resetMobileIp,
  listMobileSignatures,
  setMobileSignature
).middleware(ToolCaller)
