import { Effect, type Scope } from "effect"
import * as http from "node:http"
import * as StripeObjects from "../test/support/StripeObjects.ts"
import * as StripeStandIn from "../test/support/StripeStandIn.ts"
import type { Request } from "./Http.ts"
import type { Random } from "./Random.ts"
import type { Judge } from "./Wire.ts"

/** The frequency of trouble in a call. */
const shares = { charge: 0.4, other: 0.05, declined: 0.15, failedRefund: 0.5 }

const declines: ReadonlyArray<StripeStandIn.Bank> = [
  "authentication_required",
  "do_not_honor",
  "do_not_honor",
  "expired_card",
  "insufficient_funds",
  "insufficient_funds",
  "lost_card"
]

/**
 * The troubles of a charge or a refund: Stripe refuses it, fails or hangs up before or after it; charges the card and does not answer; or
 * makes it after the service has given up, or when its event has already arrived.
 */
const troubles = ["refuse", "fail", "reset", "fail after", "reset after", "hang after", "late", "slow after"] as const

/** In milliseconds, longer than the service waits for an answer by its clock. */
const lateMillis = 2000
const slowMillis = 500

type Reply = ReturnType<StripeStandIn.StripeStandIn["answer"]>
type Answer = Reply | "reset" | "hang"

const failure: Reply = [500, StripeObjects.failure]
const refusal: Reply = [429, { error: { type: "invalid_request_error", message: "Too many requests." } }]

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const send = (response: http.ServerResponse, answer: Answer) => {
  if (answer === "hang") return
  if (answer === "reset") return void response.socket?.destroy()
  const [status, body] = answer
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_1" })
  response.end(JSON.stringify(body))
}

/** The same text for any ids. */
const nameOf = (route: string) => route.replace(/\/[a-z]+_[0-9a-f-]{36}/, "/:id")

/** An event that Stripe reports to the service. */
export interface Event {
  readonly type: string
  readonly object: unknown
}

interface Options {
  /** The time of the product's clock in milliseconds. */
  readonly now: () => number
  readonly random: Random
  readonly judges: Readonly<Record<string, Judge>>
}

/** Saved cards, their charges and refunds at Stripe, with declines, lost answers and failures. */
export interface Stripe {
  /** The harness sets it while calls meet trouble. */
  readonly control: { isTroubled: boolean }
  readonly payments: StripeStandIn.StripeStandIn["payments"]
  readonly refunds: StripeStandIn.StripeStandIn["refunds"]
  /** Enters a card on a page of Stripe; returns Stripe's id of it. */
  readonly save: (page_id: string) => string
  /** Disputes the payments of a card. */
  readonly dispute: (card: string) => void
  /** Takes the events that are not reported yet. */
  readonly take: () => ReadonlyArray<Event>
  /** The call about an event, signed now. */
  readonly callOf: (event: Event) => Request
  /** The settings of one instance: each has its own address. */
  readonly settingsFor: (instance: string) => Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope>
}

const listen = (handle: http.RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer(handle)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void (server.closeAllConnections(), server.close()))
  )

const makeAnswering = (standIn: StripeStandIn.StripeStandIn, events: Array<Event>, random: Random) => {
  const control = { isTroubled: false }

  const charge = (asked: StripeStandIn.Asked) => {
    const known = new Set(standIn.payments.keys())
    const isDeclined = control.isTroubled && random.chance(shares.declined)
    standIn.setBank(asked.fields["payment_method"] ?? "", isDeclined ? random.pick(declines) : "pays")
    const reply = standIn.answer(asked)
    for (const [id, payment] of standIn.payments)
      if (!known.has(id))
        events.push({ type: `payment_intent.${isDeclined ? "payment_failed" : "succeeded"}`, object: payment })
    return reply
  }

  /** Stripe makes a refund, and its bank confirms it or refuses it, sometimes after a confirmation. */
  const refund = (asked: StripeStandIn.Asked) => {
    const known = new Set(standIn.refunds.keys())
    const reply = standIn.answer(asked)
    for (const made of [...standIn.refunds.values()].filter(({ id }) => !known.has(id))) {
      const isFailed = control.isTroubled && random.chance(shares.failedRefund)
      events.push({ type: "refund.created", object: made })
      if (!isFailed || random.chance(0.5))
        events.push({ type: "refund.updated", object: standIn.settle(made, "succeeded") })
      if (isFailed) events.push({ type: "refund.failed", object: standIn.settle(made, "failed") })
    }
    return reply
  }

  const charged = async (work: () => Reply): Promise<Answer> => {
    if (!control.isTroubled || !random.chance(shares.charge)) return work()
    const trouble = random.pick(troubles)
    if (trouble === "refuse") return refusal
    if (trouble === "fail") return failure
    if (trouble === "reset") return "reset"
    if (trouble === "late") await wait(lateMillis)
    const reply = work()
    if (trouble === "fail after") return failure
    if (trouble === "reset after") return "reset"
    if (trouble === "slow after") await wait(slowMillis)
    return trouble === "hang after" ? "hang" : reply
  }

  const other = (work: () => Reply): Answer => {
    if (!control.isTroubled || !random.chance(shares.other)) return work()
    if (random.chance(0.5)) return random.pick([failure, "reset"])
    return (work(), random.pick([failure, "reset"]))
  }

  /** The work of a request, and its answer with all troubles. */
  const answerTo = (asked: StripeStandIn.Asked) => {
    const moves = { [StripeStandIn.charging]: charge, [StripeStandIn.refunding]: refund }[asked.route]
    const work = () => (moves ?? standIn.answer)(asked)
    return { work, answer: async () => (moves === undefined ? other(work) : charged(work)) }
  }

  return { control, answerTo }
}

export const start = Effect.fnUntraced(function* ({ judges, now, random }: Options) {
  const seconds = () => Math.floor(now() / 1000)
  const standIn = StripeStandIn.make(seconds)
  const events: Array<Event> = []
  const { answerTo, control } = makeAnswering(standIn, events, random)

  const handle = async (instance: string, request: http.IncomingMessage, response: http.ServerResponse) => {
    const asked = await StripeStandIn.read(request)
    const { answer, work } = answerTo(asked)
    const judge = judges[instance]
    const isChange = !asked.route.startsWith("GET")
    const verdict = judge === undefined || !isChange ? "pass" : judge.judge(`stripe ${nameOf(asked.route)}`)
    if (verdict === "kill before") return judge?.kill()
    if (verdict === "pass") return send(response, await answer())
    work()
    if (verdict === "kill after") return judge?.kill()
    send(response, "reset")
  }

  const settingsFor = Effect.fnUntraced(function* (instance: string) {
    const server = yield* listen(
      (request, response) => void handle(instance, request, response).catch(() => response.destroy())
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      STRIPE_SECRET_KEY: StripeStandIn.secretKey,
      STRIPE_WEBHOOK_SECRET: StripeStandIn.webhookSecret,
      STRIPE_API_URL: `http://127.0.0.1:${port}`
    }
  })

  const callOf = ({ object, type }: Event): Request => {
    const { body, headers } = StripeStandIn.callOf(type, object, seconds())
    return {
      method: "POST",
      path: "/v1/payments/callbacks/card_gateway",
      headers,
      body: new TextDecoder().decode(body)
    }
  }

  const stripe: Stripe = {
    control,
    payments: standIn.payments,
    refunds: standIn.refunds,
    dispute: (card) => {
      for (const payment of standIn.paid().filter(({ payment_method }) => payment_method === card))
        events.push({ type: "charge.dispute.created", object: standIn.dispute(payment) })
    },
    save: (page_id: string) => {
      const { card, session } = standIn.save(page_id)
      events.push({ type: "checkout.session.completed", object: session })
      return card
    },
    take: () => events.splice(0),
    callOf,
    settingsFor
  }
  return stripe
})
