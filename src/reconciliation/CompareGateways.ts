import { DateTime, type Duration, Effect, Schema } from "effect"
import { GatewayFailed, type PaymentGateway, type Reversed } from "../wallet/gateways/PaymentGateway.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../wallet/PaymentMethod.ts"
import type { Report } from "./Finding.ts"
import { OutsideRecordsRepo } from "./OutsideRecordsRepo.ts"
import * as Questions from "./Questions.ts"

const section = "payments" as const
const callTimeout = "10 seconds"

type Find = NonNullable<PaymentGateway["findPayment"]>

const inTime = <A>(call: Effect.Effect<A, GatewayFailed>) =>
  Effect.timeoutOrElse(call, {
    duration: callTimeout,
    orElse: () => new GatewayFailed({ reason: "no answer in time" })
  })

const decodeMethod = Schema.decodeUnknownEffect(PaymentMethod)

/** The charges of a payment that its gateway knows. */
const chargesOf = (find: Find, intent: PaymentIntent) =>
  Effect.map(inTime(find(intent)), (events) => events.filter((event) => event._tag === "Paid"))

/** Finds refunds and disputes that the gateway knows and has not reported to the service. */
const makeUnreported = Effect.gen(function* () {
  const repo = yield* OutsideRecordsRepo
  const gateways = yield* PaymentGateways

  return Effect.fnUntraced(function* (intent: PaymentIntent, charge_id: string) {
    const find = gateways.get(intent.payment_method)?.findReversals
    if (find === undefined) return []
    const found = yield* inTime(find(charge_id))
    const known = yield* repo.reversals(intent.payment_method, charge_id)
    const isKnown = ({ reversal_id, status }: Reversed) =>
      known.some((one) => one.reversal_id === reversal_id && one.status === status)
    const unknown = found.filter((reversed) => !isKnown(reversed))
    const late = yield* Effect.filter(unknown, ({ own }) =>
      own === undefined ? Effect.succeed(true) : Effect.map(repo.isAsking(own.id), (isAsking) => !isAsking)
    )
    return late.map(
      ({ kind, reversal_id, status }) =>
        `charge ${charge_id} has a ${kind} ${reversal_id} (${status}) that its gateway has not reported`
    )
  })
})

/** Compares the charges of each payment with the deposits that they became. */
export const make = Effect.gen(function* () {
  const repo = yield* OutsideRecordsRepo
  const gateways = yield* PaymentGateways
  const unreported = yield* makeUnreported

  /** The problems of one payment. Asks the gateway first, so that its charges have had time to be recorded. */
  const problemsOf = Effect.fnUntraced(function* (find: Find, intent: PaymentIntent) {
    const events = yield* chargesOf(find, intent)
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
    const reversed = yield* Effect.forEach(charges, ({ charge_id }) => unreported(intent, charge_id))
    return [...missing, ...reversed.flat()].concat(
      unknown.map(
        ({ amount, charge_id, currency }) =>
          `charge ${charge_id} was credited with ${amount} ${currency}; the gateway does not confirm it`
      )
    )
  })

  /** Compares again when it finds a problem, because a charge may have been credited after the gateway was asked. */
  const check = (find: Find, report: Report) =>
    Effect.fnUntraced(function* (intent: PaymentIntent) {
      const suspected = (yield* problemsOf(find, intent)).length > 0
      const problems = suspected ? yield* problemsOf(find, intent) : []
      yield* Effect.forEach(problems, (problem) =>
        report({
          _tag: "Difference",
          section,
          subject: `payment ${intent.id} (${intent.payment_method} ${intent.external_reference})`,
          problem,
          remedy:
            "have the gateway send its call again, which credits a missing payment; settle the rest with the customer by hand"
        })
      )
    })

  return Effect.fn("Reconciliation.compareGateways")(function* (age: Duration.Duration, report: Report) {
    const since = DateTime.subtractDuration(yield* DateTime.now, age)
    for (const { name, total } of yield* repo.methods(since)) {
      const method = yield* Effect.orDie(decodeMethod(name))
      const gateway = gateways.get(method)
      const find = gateway?.findPayment
      const subject = `${method}, payments`
      const next = (after: string, limit: number) => repo.intents(method, since, after, limit)
      if (gateway === undefined)
        yield* report({
          _tag: "Unchecked",
          section,
          subject: `${subject}: ${total}`,
          reason: `this command has no gateway for them; set ${GatewaySettings.variables[method]} as the service has them`
        })
      else if (find === undefined)
        yield* report({
          _tag: "Checked",
          section,
          what: `${subject}: ${total} not asked about, because their gateway offers no look-up`
        })
      else
        yield* Questions.askAll(
          { section, subject, total, next, idOf: ({ id }) => id, ask: check(find, report) },
          report
        )
    }
  })
})
