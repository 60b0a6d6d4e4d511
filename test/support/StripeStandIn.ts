import { createHmac, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as StripeObjects from "./StripeObjects.ts"
import * as StripeRefundDesk from "./StripeRefundDesk.ts"

type Payment = StripeObjects.Payment

/** The outcome of the next charges of a card: paid, or Stripe's code of a decline. */
export type Bank =
  | "pays"
  | "authentication_required"
  | "expired_card"
  | "insufficient_funds"
  | "lost_card"
  | "do_not_honor"

/**
 * What happens to the answer of a request that charges a card: it arrives, it is lost after the card was charged, the request is
 * lost before, or Stripe fails before or after.
 */
export type Wire = "whole" | "answer lost" | "request lost" | "fails before" | "fails after"

export const secretKey = "sk_test_of_the_stand_in"
export const webhookSecret = "whsec_of_the_stand_in"

type Fields = Readonly<Record<string, string>>
type Reply = readonly [status: number, body: unknown]

const ok = (body: unknown): Reply => [200, body]

/** A signed call of Stripe (docs.stripe.com/webhooks). */
export const callOf = (type: string, object: unknown, time_seconds: number) => {
  const text = JSON.stringify({ ...StripeObjects.eventOf(type, time_seconds), data: { object } })
  const signature = createHmac("sha256", webhookSecret).update(`${time_seconds}.${text}`).digest("hex")
  return {
    headers: { "stripe-signature": `t=${time_seconds},v1=${signature}` },
    body: new TextEncoder().encode(text)
  }
}

/** Charges cards, and remembers the answer to each idempotency key. */
const makeCharges = (now: () => number) => {
  const payments = new Map<string, Payment>()
  const answers = new Map<string, Reply>()
  const banks = new Map<string, Bank>()
  const removed = new Set<string>()

  const charge = (fields: Fields): Reply => {
    const { amount = "0", customer = "", payment_method = "" } = fields
    if (removed.has(payment_method) || removed.has(customer))
      return [404, StripeObjects.missing("payment_method", payment_method)]
    const bank = banks.get(payment_method) ?? "pays"
    const payment = StripeObjects.paymentOf({
      id: `pi_${randomUUID()}`,
      amount: Number(amount),
      customer,
      payment_method,
      created: now(),
      metadata: StripeObjects.metadataIn(fields),
      decline: bank === "pays" ? null : bank
    })
    payments.set(payment.id, payment)
    return bank === "pays" ? ok(payment) : [402, StripeObjects.declinedAnswer(payment)]
  }

  /** Answers a repeated key as before, without another charge. */
  const once = (key: string, fields: Fields): Reply => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = charge(fields)
    answers.set(key, answer)
    return answer
  }

  const cancel = (id: string): Reply => {
    const payment = payments.get(id)
    if (payment === undefined) return [404, StripeObjects.missing("intent", id)]
    if (payment.status === "canceled" || payment.status === "succeeded")
      return [400, StripeObjects.unexpectedState(payment)]
    const cancelled = { ...payment, status: "canceled", last_payment_error: null }
    payments.set(id, cancelled)
    return ok(cancelled)
  }

  return { payments, banks, removed, once, cancel }
}

type Charges = ReturnType<typeof makeCharges>

/** Pages on which cards are saved, alone or with a payment. */
const makePages = ({ payments, removed }: Charges, now: () => number) => {
  const asked = new Map<string, Fields>()
  const sessions = new Map<string, StripeObjects.Session>()
  const setups = new Map<string, StripeObjects.Setup>()
  const cards = new Map<string, StripeObjects.Setup["payment_method"]>()

  const open = (fields: Fields): Reply => {
    const session = StripeObjects.sessionOf(`cs_${randomUUID()}`, fields)
    sessions.set(session.id, session)
    asked.set(session.id, fields)
    return ok(session)
  }

  const opened = (session_id: string) => {
    const session = sessions.get(session_id)
    if (session === undefined) throw new Error(`There is no page ${session_id}`)
    return session
  }

  /** Enters a card on a page; returns the completed session. */
  const save = (session_id: string, last4 = "4242") => {
    const setup = StripeObjects.setupOf(`seti_${randomUUID()}`, last4)
    const complete = {
      ...opened(session_id),
      status: "complete",
      setup_intent: setup.id,
      customer: setup.payment_method.customer
    }
    setups.set(setup.id, setup)
    sessions.set(session_id, complete)
    return { session: complete, card: setup.payment_method.id }
  }

  /** Pays on a page; returns the completed session and its payment. The card stays with the payment. */
  const pay = (session_id: string, last4 = "4242") => {
    const { payment_method } = StripeObjects.setupOf(`seti_${randomUUID()}`, last4)
    const { amount_total: amount } = opened(session_id)
    const fields = asked.get(session_id) ?? {}
    const payment = StripeObjects.paymentOf({
      id: `pi_${randomUUID()}`,
      amount,
      customer: payment_method.customer,
      payment_method: payment_method.id,
      created: now(),
      metadata: StripeObjects.metadataIn(fields, "payment_intent_data[metadata]"),
      decline: null
    })
    payments.set(payment.id, payment)
    cards.set(payment_method.id, payment_method)
    const paid = { status: "complete", payment_status: "paid", payment_intent: payment.id }
    const session = { ...opened(session_id), ...paid }
    sessions.set(session_id, session)
    return { card: payment_method.id, payment, session }
  }

  const payment = (id: string, query: URLSearchParams): Reply => {
    const found = payments.get(id)
    if (found === undefined) return [404, StripeObjects.missing("intent", id)]
    const isExpanded = query.get("expand[0]") === "payment_method"
    return ok(isExpanded ? { ...found, payment_method: cards.get(found.payment_method) ?? null } : found)
  }

  const setup = (id: string): Reply => {
    const found = setups.get(id)
    if (found === undefined) return [404, StripeObjects.missing("setupintent", id)]
    const { payment_method } = found
    const isGone = removed.has(payment_method.id)
    return ok({ ...found, payment_method: { ...payment_method, customer: isGone ? null : payment_method.customer } })
  }

  return { sessions, open, save, pay, payment, setup }
}

/** A request, with the fields of its form. */
export interface Asked {
  readonly route: string
  readonly query: URLSearchParams
  readonly fields: Fields
  readonly key: string
}

const bodyOf = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks).toString()))
  })

export const read = async (request: IncomingMessage): Promise<Asked> => {
  const text = await bodyOf(request)
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in")
  return {
    route: `${request.method} ${pathname}`,
    query: searchParams,
    fields: Object.fromEntries(new URLSearchParams(text)),
    key: String(request.headers["idempotency-key"] ?? "")
  }
}

/** The request that charges a card. */
export const charging = "POST /v1/payment_intents"
/** The request that pays a charge back. */
export const refunding = "POST /v1/refunds"

/** The part of Stripe's API that saved cards and refunds use, with its shapes, its declines and its idempotency keys. */
export const make = (now: () => number = () => Math.floor(Date.now() / 1000)) => {
  const charges = makeCharges(now)
  const pages = makePages(charges, now)
  const reversals = StripeRefundDesk.make(charges.payments)
  const requests: Array<Asked> = []
  let [wire, isDown]: [Wire, boolean] = ["whole", false]

  const listed = (query: URLSearchParams): Reply => {
    const data = [...charges.payments.values()]
      .filter(({ customer }) => customer === query.get("customer"))
      .filter(({ created }) => created >= Number(query.get("created[gte]") ?? 0))
      .toReversed()
    return ok({ object: "list", url: "/v1/payment_intents", has_more: false, data })
  }

  const remove = (id: string, answer: unknown): Reply => {
    if (charges.removed.has(id))
      return id.startsWith("pm_") ? [400, StripeObjects.notAttached] : [404, StripeObjects.missing("customer", id)]
    charges.removed.add(id)
    return ok(answer)
  }

  const answer = ({ fields, key, query, route }: Asked): Reply => {
    const [method = "", path = ""] = route.split(" ")
    const [kind = "", id = "", action = ""] = path.replace(/^\/v1\/(checkout\/)?/, "").split("/")
    switch (`${method} ${kind}${id === "" ? "" : "/:id"}${action === "" ? "" : `/${action}`}`) {
      case "POST sessions":
        return pages.open(fields)
      case "GET sessions/:id":
        return pages.sessions.has(id) ? ok(pages.sessions.get(id)) : [404, StripeObjects.missing("session", id)]
      case "GET setup_intents/:id":
        return pages.setup(id)
      case "POST payment_intents":
        return charges.once(key, fields)
      case "GET payment_intents":
        return listed(query)
      case "GET payment_intents/:id":
        return pages.payment(id, query)
      case "POST payment_intents/:id/cancel":
        return charges.cancel(id)
      case "POST payment_methods/:id/detach":
        return remove(id, { id, object: "payment_method", customer: null })
      case "DELETE customers/:id":
        return remove(id, { id, object: "customer", deleted: true })
      case "POST refunds":
        return reversals.refund(key, fields)
      case "GET refunds":
        return reversals.list(query, reversals.refunds)
      case "GET disputes":
        return reversals.list(query, reversals.disputes)
      default:
        return [404, StripeObjects.missing("resource", path)]
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = await read(request)
    const isCharge = asked.route === charging
    requests.push(asked)
    if (isDown || (isCharge && wire === "request lost")) return void request.socket.destroy()
    const isFailing = isCharge && wire === "fails before"
    const [status, body] = isFailing ? [500, StripeObjects.failure] : answer(asked)
    if (isCharge && wire === "answer lost") return void request.socket.destroy()
    const isBroken = isCharge && wire === "fails after"
    response.writeHead(isBroken ? 500 : status, { "content-type": "application/json", "request-id": "req_1" })
    response.end(JSON.stringify(isBroken ? StripeObjects.failure : body))
  }

  const server = createServer((request, response) => void handle(request, response))

  return {
    server,
    answer,
    requests,
    payments: charges.payments,
    removed: charges.removed,
    save: pages.save,
    pay: pages.pay,
    refunds: reversals.refunds as ReadonlyMap<string, StripeObjects.Refund>,
    /** Ends a refund that waits for its bank, or makes one fail that had succeeded. */
    settle: reversals.settle,
    /** The owner of a card disputes a whole payment. */
    dispute: reversals.dispute,
    /** Makes the bank of a card answer so. */
    setBank: (card: string, bank: Bank) => void charges.banks.set(card, bank),
    setWire: (next: Wire) => void (wire = next),
    setDown: (down: boolean) => void (isDown = down),
    /** The charges that took money, by the payment of the service. */
    paid: () => [...charges.payments.values()].filter(({ status }) => status === "succeeded")
  }
}

export type StripeStandIn = ReturnType<typeof make>
