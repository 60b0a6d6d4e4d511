import { pageOf } from "../../notifications/NoticePage.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import type { Visit } from "./Visit.ts"

const names = {
  proxies: text("notifications.to_proxy"),
  payments: text("notifications.to_payment"),
  webhooks: text("notifications.to_endpoint"),
  wallet: text("payment.to_wallet")
}

/** The link from a notification to what it is about. */
export const noticeLink = ({ pathTo }: Visit, notice: Parameters<typeof pageOf>[0]): Html => {
  const { page, path } = pageOf(notice)
  return html`<a href="${pathTo(path)}">${names[page]}</a>`
}
