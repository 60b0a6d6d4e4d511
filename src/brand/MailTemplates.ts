import { mails as english } from "./english/Mails.ts"
import { mails as german } from "./german/Mails.ts"
import type { LanguageCode } from "./LanguageCode.ts"

/** The placeholders of a mail. */
export interface MailTemplate {
  /** The placeholders of this mail, beside `{{brand}}` and `{{support}}`. */
  readonly placeholders: ReadonlyArray<string>
  /** The placeholders without which the mail is of no use. */
  readonly needed: ReadonlyArray<string>
}

/** The words of a mail, with placeholders such as `{{link}}`. */
export interface MailWords {
  readonly subject: string
  readonly text: string
}

/** The placeholders of every mail: the name of the brand, and the support with its addresses. */
export const general = ["brand", "support"] as const

/** The placeholders of subjects, which the service logs. */
export const ofSubjects: ReadonlyArray<string> = ["brand", "order_id", "title"]

const withToken = { placeholders: ["link", "token", "app_url", "api_url"], needed: ["link"] } as const
const withPages = { placeholders: ["app_url"], needed: [] } as const

const withPasskey = { placeholders: ["app_url", "passkey"], needed: [] } as const

const withReason = { placeholders: ["app_url", "public_reason"], needed: [] } as const

/** A mail about something that happened to a proxy, an order or a payment; `{{message}}` says what. */
const notice = { placeholders: ["message", "order_id", "page"], needed: [] } as const

/** Every mail that the service sends. */
export const mailTemplates = {
  email_verification: withToken,
  password_reset: withToken,
  sign_in_unlock: withToken,
  password_changed: withPages,
  email_changed: { placeholders: ["email"], needed: [] },
  second_factor_on: withPages,
  second_factor_off: withPages,
  recovery_code_used: { placeholders: ["app_url", "codes_left"], needed: [] },
  passkey_added: withPasskey,
  passkey_removed: withPasskey,
  passkey_refused: withPasskey,
  account_restricted: withReason,
  account_free: withReason,
  proxy_expiring: notice,
  renewal_failed: notice,
  renewal_price: notice,
  auto_top_up_made: notice,
  auto_top_up_failed: notice,
  auto_top_up_stopped: notice,
  auto_top_up_limit: notice,
  provisioning_failed: notice,
  change_failed: notice,
  proxy_reduced: notice,
  proxy_replaced: notice,
  proxy_ended: notice,
  webhook_failing: notice,
  webhook_disabled: notice,
  payment_reversed: notice,
  payout: notice,
  announcement: {
    placeholders: ["title", "message", "window", "unsubscribe"],
    needed: ["message", "unsubscribe"]
  },
  todo: { placeholders: ["items", "page"], needed: ["items"] }
} as const satisfies Readonly<Record<keyof typeof english, MailTemplate>>

export type MailName = keyof typeof mailTemplates

export const mailNames = Object.keys(mailTemplates) as ReadonlyArray<MailName>

/** The words of all mails, by language. */
export type Mails = Readonly<Record<LanguageCode, Readonly<Record<MailName, MailWords>>>>

/** The words that are built in. */
export const builtInMails: Mails = { en: english, de: german }

/** The values that a mail needs. */
export type MailValues<N extends MailName> = Readonly<Record<(typeof mailTemplates)[N]["placeholders"][number], string>>
