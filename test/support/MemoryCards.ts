import { Effect, Option } from "effect"
import { UserId } from "../../src/accounts/User.ts"
import { type CardGateway, GatewayFailed, type PaymentEvent } from "../../src/wallet/gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../../src/wallet/PaymentIntent.ts"

/** The answer to the charge of a card. While a bank is silent, the outcome is unknown; a lost request charges nothing. */
export type Bank = "pays" | "declines" | "asks the owner" | "is silent" | "loses the request"

type Working = <A>(work: () => A) => Effect.Effect<A, GatewayFailed>

/** Cards in memory, on pages that are named after their owners. A bank is silent until a test changes it. */
export const make = (working: Working, paid: (intent: PaymentIntent) => PaymentEvent) => {
  const banks = new Map<string, Bank>()
  /** The events of each charge, once its bank has answered. */
  const charges = new Map<string, ReadonlyArray<PaymentEvent>>()

  const outcome = (intent: PaymentIntent, card: string): ReadonlyArray<PaymentEvent> => {
    const decided = charges.get(intent.id) ?? []
    if (decided.length > 0) return decided
    const bank = banks.get(card)
    const declined = {
      _tag: "Declined",
      payment_intent_id: intent.id,
      external_reference: `memory_${intent.id}`
    } as const
    const events: Partial<Record<Bank, PaymentEvent>> = {
      pays: paid(intent),
      declines: { ...declined, decline: "declined" },
      "asks the owner": { ...declined, decline: "authentication_required" }
    }
    const event = bank && events[bank]
    charges.set(intent.id, event === undefined ? [] : [event])
    return charges.get(intent.id)!
  }

  const gateway: CardGateway = {
    begin: (owner) => working(() => `https://gateway.test/save/${owner}`),
    saved: (page_id) =>
      working(() => [
        {
          _tag: "CardSaved",
          user_id: UserId.make(page_id.replaceAll("_", "-")),
          customer_reference: `customer_${page_id}`,
          card_reference: `card_${page_id}`,
          brand: "visa",
          last_digits: "4242",
          expiry_month: 4,
          expiry_year: 2030
        }
      ]),
    remove: () => working(() => {}),
    charge: (intent, { card_reference }) =>
      banks.get(card_reference) === "loses the request"
        ? Effect.fail(new GatewayFailed({ reason: "lost" }))
        : working(() => outcome(intent, card_reference)),
    find: (intent, { card_reference }) =>
      working(() => (charges.has(intent.id) ? Option.some(outcome(intent, card_reference)) : Option.none()))
  }

  return { gateway, setBank: (card: string, bank: Bank) => void banks.set(card, bank) }
}
