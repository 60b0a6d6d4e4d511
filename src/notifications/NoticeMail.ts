import type { Notice } from "./Notifications.ts"

/** The subjects of the kinds that the account should act on, which are also sent as mail. */
const subjects: Partial<Record<Notice["kind"], string>> = {
  proxy_expiring: "Your proxy is about to expire",
  renewal_failed: "Your proxy could not be renewed",
  provisioning_failed: "Your order could not be delivered",
  change_failed: "A change of your proxy failed",
  proxy_reduced: "Your proxy was reduced by its provider",
  proxy_ended: "Your proxy was ended by its provider",
  webhook_failing: "Your webhook endpoint is failing",
  webhook_disabled: "Your webhook endpoint was disabled",
  payment_reversed: "Your payment was refunded or disputed"
}

/** The mail of a notice; empty for kinds that are not sent as mail. */
export const mailsOf = ({ kind, message, order_id, user_id }: Notice) => {
  const subject = subjects[kind]
  const text = order_id === null ? message : `${message}\n\nOrder: ${order_id}`
  return subject === undefined ? [] : [{ user_id, subject, text }]
}
