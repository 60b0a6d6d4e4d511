/** The notifications to accounts. Some of them are also mailed. */
export const notices = {
  "notice.proxy": "Your proxy ({{kind}}, {{country}})",
  "notice.soon": "soon",
  "notice.on": "on {{time}}",
  "notice.expiring": "{{proxy}} expires {{end}}. Extend it to keep it.",
  "notice.expiring_renewed": "{{proxy}} expires {{end}}. The service renews it from your wallet.",
  "notice.renewed": "{{proxy}} was renewed and expires {{end}}.",
  "notice.time_given": "{{proxy}} runs longer, at no charge: it expires {{end}}.",
  "notice.replaced":
    "{{proxy}} leaves from another address. Its login is new, and the old one no longer works: take the new one from its page.",
  "notice.warranty_credit":
    "{{proxy}} did not work for {{minutes}} minutes. {{price}} were credited to your wallet for this time.",
  "notice.moved": "{{proxy}} leaves from another address now. Host, port and logins are the same.",
  "notice.renewal_failed":
    "{{proxy}} could not be renewed: {{why}}. The service tries again every hour until the proxy expires {{end}}.",
  "notice.renewal_price":
    "{{proxy}} costs {{price}} to renew. The same time cost {{before}} before. The service renews it from your wallet {{renews}}, at this price or less. To decline, switch auto-renew off before then; the proxy then expires {{end}}.",
  "notice.change_failed": "{{proxy}} was not changed: {{why}}. The money is back in your wallet.",
  "notice.reduced":
    "{{proxy}} was reduced by its provider: it expires {{end}}. There is no automatic refund: please contact support.",
  "notice.reduced_traffic":
    "{{proxy}} was reduced by its provider: it expires {{end}} and has {{traffic}} of traffic. There is no automatic refund: please contact support.",
  "notice.ended":
    "{{proxy}} was ended by its provider before its time; it would have expired {{end}}. There is no automatic refund: please contact support.",
  "notice.ended_by_support":
    "{{proxy}} was ended by our support before its time; it would have expired {{end}}. If you do not know why, please contact support.",
  "notice.provisioning_failed": "Your proxy could not be provisioned. {{price}} are back in your wallet.",

  "notice.why_balance": "it costs {{required}}, but your wallet holds {{balance}}",
  "notice.why_stopped": "a payment of your account was refunded or disputed",
  "notice.why_not_sold": "this renewal is no longer sold",
  "notice.why_not_now": "its provider cannot renew it at the moment",
  "notice.why_not_shown": "its provider does not show the renewal that you paid for; contact support",
  "notice.why_refused": "the provider refused",
  "notice.why_unreachable": "the provider could not be reached",

  "notice.deposited": "{{price}} was added to your wallet.",
  "notice.auto_top_up_card": "your saved card",
  "notice.auto_top_up_this_card": "your card {{card}}",
  "notice.auto_top_up_made": "Automatic top-up: {{price}} was charged to {{card}} and added to your wallet.",
  "notice.auto_top_up_failed":
    "Your automatic top-up of {{price}} failed: the bank declined {{card}}. The service tries again on {{time}} if your balance is still too low. You can top up by hand or choose another card: {{page}}",
  "notice.auto_top_up_stopped":
    "Automatic top-up is off: {{why}}. Top up by hand, or choose a card and switch it on again: {{page}}",
  "notice.auto_top_up_authentication":
    "the bank wants you to confirm payments with {{card}} yourself, so nothing was charged",
  "notice.auto_top_up_expired": "{{card}} has expired",
  "notice.auto_top_up_refused": "the bank no longer accepts {{card}}",
  "notice.auto_top_up_declined": "the bank declined {{card}} three times in a row",
  "notice.auto_top_up_reversed":
    "Automatic top-up is off, because one of its payments was refunded or disputed. You can switch it on again: {{page}}",
  "notice.auto_top_up_limit":
    "Your balance is low, but automatic top-up has reached its limit of {{limit}} for this month. It continues next month. Top up by hand, or raise the limit: {{page}}",
  "notice.overpaid":
    "{{price}} came in, which is more than your order costs. Your order is paid, and the rest is in your wallet.",
  "notice.unexpected": "{{price}} came late, twice or not as requested, and was added to your wallet.",
  "notice.unexpected_cancelled":
    "{{price}} came late, twice or not as requested, and was added to your wallet. Your order was cancelled.",
  "notice.refund_announced": "The payment gateway announced a refund of your payment.",
  "notice.dispute_announced": "The payment gateway announced a dispute of your payment.",
  "notice.refund_taken": "{{price}} of your payment were refunded to you. Your wallet was debited by {{debited}}.",
  "notice.dispute_taken":
    "{{price}} of your payment were taken back because the payment is disputed. Your wallet was debited by {{debited}}.",
  "notice.refund_over": "The refund of your payment failed.",
  "notice.dispute_over": "The dispute of your payment is over.",
  "notice.payout_returned": "Your card did not take the refund of {{price}}. The money is in your wallet.",
  "notice.payout_claimed":
    "Your card did not take the refund of {{price}}. {{returned}} of it are in your wallet. The rest covers the part of your payment that was taken back.",
  "notice.payout_requested":
    "You asked for {{price}} of your wallet to: {{destination}}. We check it and send the money. If this was not you, cancel it on the page of your wallet, change your password and contact support.",
  "notice.payout_sent": "We sent {{price}} of your wallet. Reference: {{reference}}",
  "notice.payout_declined": "Your withdrawal of {{price}} was declined. The money is in your wallet again. {{why}}",
  "notice.payout_taken_back":
    "Your withdrawal of {{price}} was declined, because a payment is taken back. The money covers that first.",
  "notice.order_returned": "{{price}} of your order are back in your wallet.",
  "notice.order_paid_back":
    "{{price}} of your order are on the way back to your card. Your bank shows them in a few days.",
  "notice.given_back": "{{price}} are back in your wallet.",
  "notice.buy_again": "You can buy again.",
  "notice.suspended":
    "You cannot buy, extend or renew anything, and your proxies stop, until the dispute is over. Please contact support.",
  "notice.suspension": "A payment of your account is disputed.",
  "notice.stopped":
    "You cannot buy, extend or renew anything for now; your proxies keep working until they expire. Please contact support.",

  "notice.webhook_failing":
    "Every delivery to your webhook endpoint at {{host}} has failed. The service disables it in a day unless a delivery arrives. Send a test to it.",
  "notice.webhook_failing_since":
    "Every delivery to your webhook endpoint at {{host}} has failed since {{time}}. The service disables it in a day unless a delivery arrives. Send a test to it.",
  "notice.webhook_disabled":
    "Every delivery to your webhook endpoint at {{host}} has failed. The service has disabled it. Enable it again when its receiver answers.",
  "notice.webhook_disabled_since":
    "Every delivery to your webhook endpoint at {{host}} has failed since {{time}}. The service has disabled it. Enable it again when its receiver answers."
} as const
