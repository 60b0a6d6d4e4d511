import { DateTime, type Duration, Effect, Schema } from "effect"
import { GatewayFailed, type PaymentGateway } from "../wallet/gateways/PaymentGateway.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../wallet/PaymentMethod.ts"
import { AskedRepo } from "./AskedRepo.ts"
import type { Tell } from "./Finding.ts"
import * as Questions from "./Questions.ts"

const section = "payments" as const
const callTimeout = "10 seconds"

type Find = NonNullable<PaymentGateway["findPayment"]>

const told = <A>(call: Effect.Effect<A, GatewayFailed>) =>
  Effect.timeoutOrElse(call, {
    duration: callTimeout,
    orElse: () => new GatewayFailed({ reason: "no answer in time" })
  })

const decodeMethod = Schema.decodeUnknownEffect(PaymentMethod)

/** What came in for a payment, as its gateway says. */
const cameIn = (find: Find, intent: PaymentIntent) =>
  Effect.map(told(find(intent)), (events) => events.filter((event) => event._tag === "Paid"))

/** Refunds and disputes that the gateway knows and nobody has reported. */
const makeUnheard = Effect.gen(function* () {
  const repo = yield* AskedRepo
  const gateways = yield* PaymentGateways

  return Effect.fnUntraced(function* (intent: PaymentIntent, charge_id: string) {
    const find = gateways.get(intent.payment_method)?.findReversals
    if (find === undefined) return []
    const found = yield* told(find(charge_id))
    const known = yield* repo.reversals(intent.payment_method, charge_id)
    const isKnown = ({ reversal_id, status }: (typeof found)[0]) =>
      known.some((one) => one.reversal_id === reversal_id && one.status === status)
    return found
      .filter((reversed) => !isKnown(reversed))
      .map(
        ({ kind, reversal_id, status }) =>
          `charge ${charge_id} has a ${kind} ${reversal_id} (${status}) at its gateway that nobody has reported`
      )
  })
})

/** What was credited for a payment is what came in for it at its gateway. */
export const make = Effect.gen(function* () {
  const repo = yield* AskedRepo
  const gateways = yield* PaymentGateways

  const unheard = yield* makeUnheard

  /** The problems of one payment; the gateway is asked first, so that what it says is on record or under way. */
  const problemsOf = Effect.fnUntraced(function* (find: Find, intent: PaymentIntent) {
    const events = yield* cameIn(find, intent)
    const charges = yield* repo.charges(intent)
    const isLookedAfter = yield* repo.isLookedAfter(intent, yield* DateTime.now)
    const missing = events.flatMap(({ amount, charge_id, currency }) => {
      const charge = charges.find((charge) => charge.charge_id === charge_id)
      if (charge === undefined)
        return isLookedAfter ? [] : `charge ${charge_id} of ${amount} ${currency} came in and was never credited`
      return charge.amount === amount && charge.currency === currency
        ? []
        : `charge ${charge_id} brought ${amount} ${currency}; ${charge.amount} ${charge.currency} were credited for it`
    })
    const unknown = charges.filter((charge) => !events.some(({ charge_id }) => charge_id === charge.charge_id))
    const reversed = yield* Effect.forEach(charges, ({ charge_id }) => unheard(intent, charge_id))
    return [...missing, ...reversed.flat()].concat(
      unknown.map(
        ({ amount, charge_id, currency }) =>
          `charge ${charge_id} was credited with ${amount} ${currency}; the gateway does not say that it came in`
      )
    )
  })

  /** A second time when something is wrong: a charge may have come in, and been credited, since the gateway was asked. */
  const check = (find: Find, tell: Tell) =>
    Effect.fnUntraced(function* (intent: PaymentIntent) {
      const suspected = (yield* problemsOf(find, intent)).length > 0
      const problems = suspected ? yield* problemsOf(find, intent) : []
      yield* Effect.forEach(problems, (problem) =>
        tell({
          _tag: "Difference",
          section,
          subject: `payment ${intent.id} (${intent.payment_method} ${intent.external_reference})`,
          problem,
          remedy:
            "let the gateway send its call again, which credits what was not; settle the rest with the customer by hand"
        })
      )
    })

  return Effect.fn("GatewayRecords.compare")(function* (age: Duration.Duration, tell: Tell) {
    const since = DateTime.subtractDuration(yield* DateTime.now, age)
    for (const { name, total } of yield* repo.methods(since)) {
      const method = yield* Effect.orDie(decodeMethod(name))
      const gateway = gateways.get(method)
      const find = gateway?.findPayment
      const subject = `${method}, payments`
      const next = (after: string, limit: number) => repo.intents(method, since, after, limit)
      if (gateway === undefined)
        yield* tell({
          _tag: "Unchecked",
          section,
          subject: `${subject}: ${total}`,
          reason: `no gateway is configured for them here: set ${GatewaySettings.variables[method]}, as the service has them`
        })
      else if (find === undefined)
        yield* tell({
          _tag: "Checked",
          section,
          what: `${subject}: ${total} not asked about, since their gateway lists no payments`
        })
      else
        yield* Questions.askAll({ section, subject, total, next, idOf: ({ id }) => id, ask: check(find, tell) }, tell)
    }
  })
})
