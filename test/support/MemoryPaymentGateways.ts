import { Context, Effect, Layer, Schema } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { Currency } from "../../src/platform/Money.ts"
import { CallbackRefused } from "../../src/wallet/PaymentErrors.ts"
import {
  GatewayFailed,
  type PaymentEvent,
  type PaymentGateway,
  type RawCallback
} from "../../src/wallet/PaymentGateway.ts"
import { PaymentGateways } from "../../src/wallet/PaymentGateways.ts"
import { type PaymentIntent, PaymentIntentId } from "../../src/wallet/PaymentIntent.ts"
import { PaymentMethod } from "../../src/wallet/PaymentMethod.ts"

const Event = Schema.fromJsonString(
  Schema.TaggedUnion({
    Paid: {
      payment_intent_id: PaymentIntentId,
      charge_id: Schema.String,
      currency: Currency,
      amount: Schema.BigIntFromString
    },
    Declined: { payment_intent_id: PaymentIntentId }
  })
)

/** A signed call, to be posted to `/v1/payments/callbacks/{payment_method}`. */
interface MemoryCall extends RawCallback {
  readonly payment_method: PaymentMethod
}

const signatureHeader = "x-memory-signature"

/** Payment gateways in memory: what they are asked for stays open until a test says how it ended. */
const make = (methods: ReadonlyArray<PaymentMethod> = PaymentMethod.literals) => {
  const intents = new Map<string, PaymentIntent>()
  const secret = randomUUID()
  let isDown = false

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

  const gateway = (payment_method: PaymentMethod): PaymentGateway => ({
    payment_method,
    headers: [signatureHeader],
    createIntent: (intent) =>
      Effect.suspend(() => {
        if (isDown) return Effect.fail(new GatewayFailed({ reason: "down" }))
        intents.set(intent.id, intent)
        return Effect.succeed({
          payment_url: `https://gateway.test/${intent.id}`,
          external_reference: `memory_${intent.id}`
        })
      }),
    verify: ({ body, headers }): Effect.Effect<PaymentEvent, CallbackRefused> =>
      headers[signatureHeader] === signatureOf(body)
        ? Effect.orDie(Schema.decodeEffect(Event)(new TextDecoder().decode(body)))
        : Effect.fail(new CallbackRefused())
  })
  const gateways = new Map(methods.map((method) => [method, gateway(method)]))

  return {
    gateways: { get: (method: PaymentMethod) => gateways.get(method) },
    /** The call that reports a payment as paid: as asked, under one charge id, unless it is told otherwise. */
    pay: (id: string, change: Partial<Omit<Extract<PaymentEvent, { _tag: "Paid" }>, "_tag">> = {}) => {
      const intent = asked(id)
      const { amount, currency, id: payment_intent_id } = intent
      return call(intent, { _tag: "Paid", payment_intent_id, charge_id: `charge_${id}`, currency, amount, ...change })
    },
    decline: (id: string) => call(asked(id), { _tag: "Declined", payment_intent_id: asked(id).id }),
    /** While down, nothing can be asked for. */
    setDown: (down: boolean) => void (isDown = down)
  }
}

export class MemoryPaymentGateways extends Context.Service<MemoryPaymentGateways, ReturnType<typeof make>>()(
  "test/MemoryPaymentGateways"
) {
  /** The gateways, and `PaymentGateways` with them alone. */
  static layerOf = (methods?: ReadonlyArray<PaymentMethod>) =>
    Layer.effectContext(
      Effect.sync(() => {
        const memory = make(methods)
        return Context.make(MemoryPaymentGateways, memory).pipe(Context.add(PaymentGateways, memory.gateways))
      })
    )

  static readonly layer = this.layerOf()
}
