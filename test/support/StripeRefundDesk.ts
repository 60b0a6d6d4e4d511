import * as StripeObjects from "./StripeObjects.ts"

type Fields = Readonly<Record<string, string>>
type Reply = readonly [status: number, body: unknown]

const ok = (body: unknown): Reply => [200, body]

const of = <A extends { readonly payment_intent: string }>(all: ReadonlyMap<string, A>, id: string | null) =>
  [...all.values()].filter(({ payment_intent }) => payment_intent === id)

const list = (query: URLSearchParams, all: ReadonlyMap<string, StripeObjects.Refund | StripeObjects.Dispute>) =>
  ok({ object: "list", has_more: false, data: of(all, query.get("payment_intent")) })

/** Refunds and disputes. Stripe refuses to refund a disputed charge, or more than the charge. */
export const make = (payments: ReadonlyMap<string, StripeObjects.Payment>) => {
  const refunds = new Map<string, StripeObjects.Refund>()
  const disputes = new Map<string, StripeObjects.Dispute>()
  const answers = new Map<string, Reply>()

  const made = (fields: Fields): Reply => {
    const payment = payments.get(fields["payment_intent"] ?? "")
    if (payment === undefined) return [404, StripeObjects.missing("payment_intent", "")]
    if (of(disputes, payment.id).length > 0) return [400, StripeObjects.refusedRefund("charge_disputed")]
    const refund = StripeObjects.refundOf(payment.id, fields)
    const standing = of(refunds, payment.id).filter(({ status }) => status !== "failed")
    if (standing.reduce((sum, { amount }) => sum + amount, refund.amount) > payment.amount)
      return [400, StripeObjects.refusedRefund("charge_already_refunded")]
    refunds.set(refund.id, refund)
    return ok(refund)
  }

  /** Answers a repeated key as before, without another refund. */
  const refund = (key: string, fields: Fields): Reply => {
    const answer = answers.get(key) ?? made(fields)
    answers.set(key, answer)
    return answer
  }

  const settle = ({ id }: StripeObjects.Refund, status: "succeeded" | "failed") => {
    const refund = refunds.get(id)
    if (refund === undefined) throw new Error(`There is no refund ${id}`)
    const settled = { ...refund, status, failure_reason: status === "failed" ? "lost_or_stolen_card" : null }
    refunds.set(id, settled)
    return settled
  }

  const dispute = (payment: StripeObjects.Payment) => {
    const dispute = StripeObjects.disputeOf(payment)
    disputes.set(dispute.id, dispute)
    return dispute
  }

  return { refunds, disputes, refund, settle, dispute, list }
}
