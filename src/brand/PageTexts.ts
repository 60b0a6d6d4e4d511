import { accountPageTexts } from "./AccountPageTexts.ts"

/**
 * Every text of the pages for people. A name is the page and the place. A placeholder such as `{{app}}` stands for a value
 * of the page, and `{{brand}}` for the name of the brand.
 */
export const pageTexts = {
  ...accountPageTexts,

  "connections.title": "Connected apps",
  "connections.signed_in": "Signed in as {{account}}",
  "connections.email_link": "Email",
  "connections.sign_out_button": "Sign out",
  "connections.verify": "We mailed you a link. Open it to verify {{link}}.",
  "connections.verify_link": "your email",
  "connections.none": "No app is connected to your account.",
  "connections.none_about": "An app that you approve appears here. You can end its access at any time.",
  "connections.more_link": "More apps",
  "connections.can": "It can",
  "connections.since": "Connected since",
  "connections.last_used": "Last used",
  "connections.never_used": "not yet",
  "connections.disconnect_button": "Disconnect",
  "connections.disconnected": "The app is disconnected and no longer has access to your account.",
  "connections.not_connected": "The app was no longer connected. Nothing was changed.",

  "app.verified": "Verified",
  "app.unverified": "Not verified",

  "consent.title": "Connect {{app}}",
  "consent.heading": "Connect {{app}} to your account?",
  "consent.published_by": "This app is published by {{host}}.",
  "consent.impostor":
    "Another program on this computer may pretend to be this app. Continue only if you started this yourself.",
  "consent.unknown_app":
    "This app registered itself. We have not checked its name. Continue only if you started this yourself.",
  "consent.account": "Your account",
  "consent.target": "Sends you back to",
  "consent.target_computer": "an app on this computer",
  "consent.target_links": "the app that opens “{{protocol}}” links",
  "consent.can": "It will be able to",
  "consent.also": "Also: {{access}}",
  "consent.trust": "{{detail}} Leave this unticked unless you trust the app with your money.",
  "consent.approve_button": "Approve",
  "consent.decline_button": "Decline",
  "consent.never":
    "It can never change your email or password, manage API keys or webhooks, top up your wallet or delete your account. You can end its access at any time under Connected apps.",
  "consent.other_account_button": "Use another account",
  "consent.no_decision": "Choose Approve or Decline.",
  "consent.nothing_granted": "The app asks only to spend money. Tick the box to allow this, or decline.",

  "scope.catalog_read": "See the catalog",
  "scope.catalog_read_in_sentence": "see the catalog",
  "scope.catalog_read_detail": "Proxies on offer, their locations and prices.",
  "scope.account_read": "See your profile",
  "scope.account_read_in_sentence": "see your profile",
  "scope.account_read_detail": "Name and email, referrals, promo codes, and past checks of IP addresses.",
  "scope.orders_read": "See your orders and proxies",
  "scope.orders_read_in_sentence": "see your orders and proxies",
  "scope.orders_read_detail": "This includes their traffic, and the logins and passwords of the proxies.",
  "scope.wallet_read": "See your wallet",
  "scope.wallet_read_in_sentence": "see your wallet",
  "scope.wallet_read_detail": "Your balances and every transaction.",
  "scope.orders_write": "Spend money from your wallet",
  "scope.orders_write_in_sentence": "spend money from your wallet",
  "scope.orders_write_detail":
    "It can buy and extend proxies and change your paid services. It pays from your wallet without asking you again.",

  "request_gone.title": "This request is over",
  "request_gone.approved": "If you have just approved the app, you are done. Go back to the app, or see {{link}}.",
  "request_gone.otherwise":
    "Otherwise the request was declined, is older than 10 minutes, or began in another browser. Go back to the app and connect it again, and use one browser until you are done.",
  "authorization_failed.title": "This app could not be connected",
  "authorization_failed.unchanged": "Nothing was changed. You can close this page.",
  "authorization_failed.developer": "For the app's developer: {{error}}",
  "too_many_requests.title": "Too many requests",
  "too_many_requests.about": "There were too many requests in a short time. {{when}}",
  "not_found.title": "Page not found",
  "not_found.about": "There is no page at this address. Check the link, or go back.",
  "method_not_allowed.title": "This does not work here",
  "method_not_allowed.about": "This address does not accept {{method}}; it accepts {{allowed}}. Nothing was changed.",
  "method_not_allowed.back": "Go back, and use the links and buttons of the page.",
  "form_too_large.title": "The form is too large",
  "form_too_large.about":
    "The form is larger than 64 KiB, or did not arrive completely. Nothing was changed. Go back, shorten your entries, and try again.",
  "unavailable.title": "Not available right now",
  "unavailable.about": "We cannot reach our database at the moment. Wait a minute, then try again.",
  "failed.title": "Something went wrong",
  "failed.about": "This is our fault. Go back and try again.",
  "failed.request_id": "If that does not help, send our support this request id: {{id}}",

  "payment.title": "Payment",
  "payment.for": "For",
  "payment.for_deposit": "Wallet deposit",
  "payment.for_order": "Proxy order",
  "payment.method": "Method",
  "payment.crypto_gateway": "Crypto",
  "payment.card_gateway": "Card",
  "payment.messenger_stars": "Messenger stars",
  "payment.until": "Pay until",
  "payment.id": "Payment",
  "payment.star": "{{count}} star",
  "payment.stars": "{{count}} stars",
  "payment.deposit_paid": "{{amount}} was added to your wallet. You can close this page.",
  "payment.order_paid": "{{amount}} was paid, and we are setting up your proxies. You can close this page.",
  "payment.deposit_again": "To try again, make a new deposit.",
  "payment.order_again": "To try again, place a new order.",
  "payment.waiting_title": "Waiting for the payment",
  "payment.waiting":
    "We have not received the payment yet. This page reloads automatically. If you have paid, you can close this page: your payment is safe.",
  "payment.way_back": "If you have not paid yet, {{link}}.",
  "payment.way_back_link": "go back to the payment",
  "payment.received_title": "Payment received",
  "payment.failed_title": "Payment not made",
  "payment.failed": "The payment was declined or cancelled. {{again}}",
  "payment.expired_title": "Payment expired",
  "payment.expired": "We did not receive the payment in time. {{again}}",
  "payment.late": "If you paid anyway, we add the amount to your wallet. You can close this page.",
  "payment.pay_title": "Sandbox payment",
  "payment.pay": "Confirm your payment",
  "payment.pay_button": "Pay",
  "payment.decline_button": "Decline",
  "payment.sandbox": "Sandbox: no real money moves",
  "payment.complete_title": "Payment complete",
  "payment.deposit_soon": "We add it to your wallet within a minute. Reload this page to see it.",
  "payment.order_soon": "We mark your order as paid within a minute. Reload this page to see it.",
  "payment.soon_title": "Payment on its way",
  "payment.paid_late_title": "Paid late",
  "payment.paid_late": "The payment had already ended, so we added the amount to your wallet as a separate deposit.",
  "payment.not_in_time": "You did not pay in time. Nothing was charged. {{again}}",
  "payment.declined_title": "Payment declined",
  "payment.cancelled_title": "Payment cancelled",
  "payment.not_charged": "Nothing was charged. {{again}}",
  "payment.no_choice_title": "Choose Pay or Decline",
  "payment.no_choice": "Nothing was changed. Go back to the payment and press one of its two buttons.",
  "payment.not_found_title": "Payment not found",
  "payment.not_found": "There is no payment at this address. Check the link, or start again."
} as const satisfies Readonly<Record<string, string>>

export type TextName = keyof typeof pageTexts

/** The texts of one brand. */
export type PageTexts = Readonly<Record<TextName, string>>

/** The placeholders of a text, without `{{brand}}`. */
type PlaceholderIn<T extends string> = T extends `${string}{{${infer Name}}}${infer Rest}`
  ? Exclude<Name, "brand"> | PlaceholderIn<Rest>
  : never

/** The placeholders to which a page must give values. */
export type PlaceholderOf<N extends TextName> = PlaceholderIn<(typeof pageTexts)[N]>

/** A placeholder, also one that is misspelt or not closed. */
export const placeholder = /\{\{([^{}\n]*)(\}\})?/g
