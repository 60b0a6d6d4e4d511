/** The events of checkout pages. A completed page may still be unpaid, with methods that take days; the page itself says if it is paid. */
export const completed = "checkout.session.completed"
export const paid = [completed, "checkout.session.async_payment_succeeded"]
export const ended = ["checkout.session.expired", "checkout.session.async_payment_failed"]

/**
 * The events of a charge of a saved card, and of a payment that saves its card. Stripe also sends them about other checkout
 * pages, which report themselves.
 */
export const cards = ["payment_intent.succeeded", "payment_intent.payment_failed"]

const refunds = ["refund.created", "refund.updated", "refund.failed"]
/** Reports the refunded total of a charge, without its refunds. */
export const refunded = "charge.refunded"
export const disputes = ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"].map(
  (what) => `charge.dispute.${what}`
)

/** Older endpoints may get refunds by two more events. */
export const reversals = [...refunds, "charge.refund.updated", refunded, ...disputes]

/** The events that the webhook endpoint must receive. docs/payments.md lists them. */
export const needed: ReadonlyArray<string> = [...paid, ...ended, ...cards, ...refunds, ...disputes]
