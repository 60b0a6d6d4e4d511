import { Context, Effect, Layer, Schema } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { Currency } from "../../src/platform/Money.ts"
import { CallbackRefused } from "../../src/wallet/PaymentErrors.ts"
import {
  DisputeState,
  GatewayFailed,
  type PaymentEvent,
  type PaymentGateway,
  type RawCallback,
  type Reversed
} from "../../src/wallet/gateways/PaymentGateway.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import { type PaymentIntent, PaymentIntentId } from "../../src/wallet/PaymentIntent.ts"
import { PaymentMethod } from "../../src/wallet/PaymentMethod.ts"
import * as MemoryCards from "./MemoryCards.ts"
import * as MemoryRefunds from "./MemoryRefunds.ts"

const Event = Schema.fromJsonString(
  Schema.TaggedUnion({
    Paid: {
      payment_intent_id: PaymentIntentId,
      charge_id: Schema.String,
      currency: Currency,
      amount: Schema.BigIntFromString,
      payer: Schema.optionalKey(Schema.String)
    },
    Reversed: {
      charge_id: Schema.String,
      reversal_id: Schema.String,
      kind: Schema.Literals(["refund", "dispute"]),
      status: Schema.Literals(["announced", "taken", "returned"]),
      amount: Schema.NullOr(Schema.BigIntFromString),
      dispute: Schema.optionalKey(
        Schema.Struct({
          state: DisputeState,
          reason: Schema.NullOr(Schema.String),
          answer_by: Schema.NullOr(Schema.DateTimeUtcFromString)
        })
      ),
      own: Schema.optionalKey(
        Schema.Struct({
          id: Schema.String,
          outcome: Schema.Struct({
            status: Schema.Literals(["pending", "succeeded", "failed"]),
            gateway_refund_id: Schema.NullOr(Schema.String),
            failure: Schema.NullOr(Schema.String)
          })
        })
      )
    },
    Declined: { payment_intent_id: PaymentIntentId, external_reference: Schema.String },
    Checkout: { payment_intent_id: PaymentIntentId, currency: Currency, amount: Schema.BigIntFromString }
  })
)

type Paid = Omit<Extract<PaymentEvent, { _tag: "Paid" }>, "_tag">

/** A signed call, to be posted to `/v1/payments/callbacks/{payment_method}`. */
interface MemoryCall extends RawCallback {
  readonly payment_method: PaymentMethod
}

const signatureHeader = "x-memory-signature"

const referenceOf = (id: string) => `memory_${id}`

/** Payment gateways in memory: a payment stays open until a test ends it. */
const make = (methods: ReadonlyArray<PaymentMethod> = PaymentMethod.literals) => {
  const intents = new Map<string, PaymentIntent>()
  const unreported: Array<Extract<PaymentEvent, { _tag: "Paid" }>> = []
  const reversed = new Map<string, Reversed>()
  const saving = new Set<string>()
  const answers: Array<string | null> = []
  const lookUps: Array<string> = []
  const closed: Array<string> = []
  let minimum = 0n
  const secret = randomUUID()
  let isDown = false
  const hanging = new Set<PaymentMethod>()

  const signatureOf = (body: Uint8Array) => createHmac("sha256", secret).update(body).digest("hex")

  const asked = (id: string) => {
    const intent = intents.get(id)
    if (intent === undefined) throw new Error(`Payment ${id} was never asked for`)
    return intent
  }

  const call = ({ payment_method }: PaymentIntent, event: typeof Event.Type): MemoryCall => {
    const body = new TextEncoder().encode(Schema.encodeSync(Event)(event))
    return { payment_method, headers: { [signatureHeader]: signatureOf(body) }, body }
  }

  const answerable = (event: typeof Event.Type): PaymentEvent =>
    event._tag === "Checkout" ? { ...event, answer: (refusal) => Effect.sync(() => void answers.push(refusal)) } : event

  const working = <A>(method: PaymentMethod, work: () => A) =>
    Effect.suspend(() => {
      if (hanging.has(method)) return Effect.never
      return isDown ? Effect.fail(new GatewayFailed({ reason: "down" })) : Effect.sync(work)
    })

  const cards = MemoryCards.make(
    (work) => working("card_gateway", work),
    ({ amount, currency, id }) => ({
      _tag: "Paid",
      payment_intent_id: id,
      charge_id: `charge_${id}`,
      currency,
      amount
    })
  )

  const refunds = MemoryRefunds.make()

  const gateway = (payment_method: PaymentMethod): PaymentGateway => ({
    payment_method,
    headers: [signatureHeader],
    get minimum() {
      return minimum
    },
    createIntent: (intent, save_card) =>
      working(payment_method, () => {
        if (save_card === true) saving.add(intent.id)
        intents.set(intent.id, intent)
        return { payment_url: `https://gateway.test/${intent.id}`, external_reference: referenceOf(intent.id) }
      }),
    findPayment: ({ id }) =>
      Effect.andThen(
        Effect.sync(() => void lookUps.push(id)),
        working(payment_method, () => unreported.filter(({ payment_intent_id }) => payment_intent_id === id))
      ),
    findReversals: (charge_id) =>
      working(payment_method, () => [...reversed.values()].filter((reversal) => reversal.charge_id === charge_id)),
    authenticate: ({ body, headers }) =>
      headers[signatureHeader] === signatureOf(body)
        ? Effect.succeed(
            working(payment_method, () => [answerable(Schema.decodeSync(Event)(new TextDecoder().decode(body)))])
          )
        : Effect.fail(new CallbackRefused()),
    ...(payment_method === "card_gateway" && { cards: cards.gateway, refunds: refunds.gateway }),
    close: ({ id }) => working(payment_method, () => void closed.push(id))
  })
  const gateways = new Map(methods.map((method) => [method, gateway(method)]))

  const paid = (id: string, change: Partial<Paid> = {}) => {
    const { amount, currency, id: payment_intent_id } = asked(id)
    return { _tag: "Paid" as const, payment_intent_id, charge_id: `charge_${id}`, currency, amount, ...change }
  }

  return {
    refunds,
    gateways: { get: (method: PaymentMethod) => gateways.get(method) },
    /** The call that reports a payment as paid: by default the amount asked for, under one charge id. */
    pay: (id: string, change: Partial<Paid> = {}) => call(asked(id), paid(id, change)),
    /** The call that reports a refund or a dispute of a charge. */
    reverse: (id: string, reversed: Omit<Reversed, "_tag">) => call(asked(id), { _tag: "Reversed", ...reversed }),
    /** A refund or a dispute whose call is lost: the service learns of it only when it asks about the charge. */
    reverseUnreported: (reversal: Omit<Reversed, "_tag">) =>
      void reversed.set(reversal.reversal_id, { _tag: "Reversed", ...reversal }),
    /** A payment whose call is lost: the service learns of it only when it looks the payment up. */
    payUnreported: (id: string, change: Partial<Paid> = {}) => void unreported.push(paid(id, change)),
    /** The call that asks whether a payment may go on; `answers` keeps the service's answer. */
    checkOut: (id: string, change: Partial<Pick<Paid, "currency" | "amount">> = {}) => {
      const { amount, currency, id: payment_intent_id } = asked(id)
      return call(asked(id), { _tag: "Checkout", payment_intent_id, currency, amount, ...change })
    },
    answers,
    /** The payments whose card is to be saved. */
    saving,
    /** Makes the bank of a card, named by the gateway's id, answer so. */
    setBank: cards.setBank,
    /** The payments that the service looked up, in order. */
    lookUps,
    /** The payments whose page the service closed. */
    closed,
    /** The call that reports a payment as ended. `external_reference` names another payment for the same request. */
    decline: (id: string, external_reference = referenceOf(id)) =>
      call(asked(id), { _tag: "Declined", payment_intent_id: asked(id).id, external_reference }),
    /** The smallest amount that a payment may have. */
    setMinimum: (amount: bigint) => void (minimum = amount),
    /** While down, the gateway accepts no payment, and the service can check no signed call. */
    setDown: (down: boolean) => void (isDown = down),
    /** While a gateway hangs, it answers nothing. */
    setHanging: (method: PaymentMethod, hangs: boolean) => void (hangs ? hanging.add(method) : hanging.delete(method))
  }
}

export class MemoryPaymentGateways extends Context.Service<MemoryPaymentGateways, ReturnType<typeof make>>()(
  "test/MemoryPaymentGateways"
) {
  /** The gateways, and a `PaymentGateways` of these gateways only. */
  static layerOf = (methods?: ReadonlyArray<PaymentMethod>) =>
    Layer.effectContext(
      Effect.sync(() => {
        const memory = make(methods)
        return Context.make(MemoryPaymentGateways, memory).pipe(Context.add(PaymentGateways, memory.gateways))
      })
    )

  static readonly layer = this.layerOf()
}
