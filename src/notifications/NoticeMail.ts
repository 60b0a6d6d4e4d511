import type { Brand } from "../brand/Brand.ts"
import * as MailText from "../brand/MailText.ts"
import type { Notice } from "./Notifications.ts"

/** The kinds that the account should act on, which are also sent as mail. Each has a mail of its name. */
const mailed = [
  "proxy_expiring",
  "renewal_failed",
  "renewal_price",
  "provisioning_failed",
  "change_failed",
  "proxy_reduced",
  "proxy_ended",
  "webhook_failing",
  "webhook_disabled",
  "payment_reversed"
] as const satisfies ReadonlyArray<Notice["kind"]>

/** The mail of a notice; empty for kinds that are not sent as mail. */
export const mailsOf = (brand: Brand, { kind, message, order_id, user_id }: Notice) =>
  mailed
    .filter((name) => name === kind)
    .map((name) => ({ user_id, ...MailText.write(brand, name, { message, order_id: order_id ?? "" }) }))
