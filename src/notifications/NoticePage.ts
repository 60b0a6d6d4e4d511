import type { Notification } from "./Notification.ts"

type Subject = Pick<Notification, "order_id" | "payment_intent_id" | "endpoint_id" | "kind">

const isAboutWebhook = ({ kind }: Subject) => kind === "webhook_failing" || kind === "webhook_disabled"

/**
 * The page of the dashboard that shows what a notification is about, with its path below `app_url`. Notifications about
 * money lead to the wallet.
 */
export const pageOf = (notice: Subject) => {
  const { endpoint_id, order_id, payment_intent_id } = notice
  if (order_id !== null) return { page: "proxies", path: `proxies/${order_id}` } as const
  if (payment_intent_id !== null) return { page: "payments", path: `payments/${payment_intent_id}` } as const
  if (endpoint_id !== null) return { page: "webhooks", path: `webhooks/${endpoint_id}` } as const
  const page = isAboutWebhook(notice) ? "webhooks" : "wallet"
  return { page, path: page } as const
}
