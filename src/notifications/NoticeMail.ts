import type { Brand } from "../brand/Brand.ts"
import type { LanguageCode } from "../brand/LanguageCode.ts"
import * as MailText from "../brand/MailText.ts"
import type { Notification } from "./Notification.ts"
import { pageOf } from "./NoticePage.ts"

/** The kinds that the account should act on, which are also sent as mail. Each has a mail of its name. */
const mailed = [
  "proxy_expiring",
  "renewal_failed",
  "renewal_price",
  "auto_top_up_made",
  "auto_top_up_failed",
  "auto_top_up_stopped",
  "auto_top_up_limit",
  "provisioning_failed",
  "change_failed",
  "proxy_reduced",
  "proxy_replaced",
  "proxy_ended",
  "webhook_failing",
  "webhook_disabled",
  "payment_reversed",
  "payout"
] as const satisfies ReadonlyArray<Notification["kind"]>

type Written = Pick<Notification, "user_id" | "kind" | "order_id" | "payment_intent_id" | "endpoint_id" | "message">

/** The mail of a notification in a language; empty for kinds that are not sent as mail. */
export const mailsOf = (brand: Brand, app_url: string, language: LanguageCode, notice: Written) =>
  mailed
    .filter((name) => name === notice.kind)
    .map((name) => ({
      user_id: notice.user_id,
      language,
      ...MailText.write(brand, language, name, {
        message: notice.message,
        order_id: notice.order_id ?? "",
        page: `${app_url}/${pageOf(notice).path}`
      })
    }))
