import type { Notification } from "../../notifications/Notification.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import type { Visit } from "./Visit.ts"

type Subject = Pick<Notification, "order_id" | "payment_intent_id" | "endpoint_id" | "kind">

const isAboutWebhook = ({ kind }: Subject) => kind === "webhook_failing" || kind === "webhook_disabled"

/** The page that shows what a notification is about, and its name. Notifications about money lead to the wallet. */
const subjectOf = (notice: Subject) => {
  const { endpoint_id, order_id, payment_intent_id } = notice
  if (order_id !== null) return [`proxies/${order_id}`, text("notifications.to_proxy")] as const
  if (payment_intent_id !== null) return [`payments/${payment_intent_id}`, text("notifications.to_payment")] as const
  if (endpoint_id !== null) return [`webhooks/${endpoint_id}`, text("notifications.to_endpoint")] as const
  return isAboutWebhook(notice)
    ? (["webhooks", text("notifications.to_endpoint")] as const)
    : (["wallet", text("payment.to_wallet")] as const)
}

/** The link from a notification to what it is about. */
export const noticeLink = ({ pathTo }: Visit, notice: Subject): Html => {
  const [path, name] = subjectOf(notice)
  return html`<a href="${pathTo(path)}">${name}</a>`
}
