import * as fc from "fast-check"
import type { Bank } from "../support/MemoryCards.ts"
import type { Decision } from "./Payouts.ts"

/** `residential` is out of stock. */
export type OfferName = "datacenter" | "mobile" | "residential"

export interface OrderCommand {
  readonly do: "order"
  readonly offer: OfferName
  readonly quantity: number
  readonly method: "wallet" | "card_gateway"
  readonly promo: boolean
  readonly key: string | null
  readonly provider: "answers" | "is down" | "refuses"
}

export interface ExtendCommand {
  readonly do: "extend"
  readonly order: number
  /** A mobile proxy gets another of its daily tariffs instead. */
  readonly months: number
  readonly key: string | null
  readonly provider: "answers" | "refuses"
}

export interface ReversalCommand {
  readonly do: "reverse"
  readonly payment: number
  /** One of two reversals of a payment; each may be reported again and change its status. */
  readonly which: "one" | "two"
  readonly kind: "refund" | "dispute"
  readonly status: "announced" | "taken" | "returned"
  /** Null takes the whole payment. */
  readonly cents: number | null
}

/** Sets automatic top-up; sums in cents. */
export interface TopUpCommand {
  readonly do: "top up"
  readonly enabled: boolean
  readonly threshold: number
  readonly amount: number
  readonly monthly_limit: number
}

/**
 * An action of a customer, or the passing of time. Commands count orders and payments from the latest: 0 is the latest.
 */
export type Command =
  | OrderCommand
  | ExtendCommand
  | { readonly do: "deposit"; readonly cents: number }
  | {
      readonly do: "pay"
      readonly payment: number
      /** `again` uses another charge id; of `unreported` the gateway says nothing unless it is asked. */
      readonly how: "as asked" | "too little" | "too much" | "again" | "unreported"
    }
  | { readonly do: "decline"; readonly payment: number }
  | ReversalCommand
  /** The operator lets the account buy again. */
  | { readonly do: "lift" }
  /** The operator holds or suspends the account, until `free`. */
  | { readonly do: "restrict"; readonly preset: "hold" | "suspend" }
  | { readonly do: "free" }
  /** The operator bans the account for this time, in which every job runs. */
  | { readonly do: "ban"; readonly hours: number }
  | TopUpCommand
  | { readonly do: "save card" }
  | { readonly do: "remove card" }
  /** The bank of the saved card answers so from now on. */
  | { readonly do: "bank"; readonly answers: Bank }
  | { readonly do: "cancel"; readonly order: number }
  | { readonly do: "auto-renew"; readonly order: number; readonly enabled: boolean }
  | { readonly do: "tag"; readonly order: number; readonly tags: ReadonlyArray<string> }
  | { readonly do: "release"; readonly order: number }
  /** Staff returns a part of what was paid for an order. */
  | { readonly do: "refund"; readonly order: number; readonly cents: number }
  /** The customer asks for money of the wallet. */
  | { readonly do: "withdraw"; readonly cents: number }
  /** Staff decide about the last withdrawal, or the customer cancels it. */
  | { readonly do: "decide"; readonly decision: Decision }
  /** Staff gives the order another proxy, or another month, at no charge. */
  | { readonly do: "replace" | "give"; readonly order: number }
  /** Staff gives money. */
  | { readonly do: "credit"; readonly cents: number }
  /** The operator sells everything at this percentage of its first price. */
  | { readonly do: "price"; readonly percent: number }
  | { readonly do: "quote"; readonly offer: "datacenter" | "mobile" }
  /** The customer repeats the orders or proxy changes of a key, word for word. */
  | { readonly do: "repeat"; readonly request: number }
  /** Time passes and every job runs. */
  | { readonly do: "wait"; readonly hours: number }

const which = fc.constantFrom(0, 0, 0, 1, 2, 3)
const key = fc.constantFrom(null, "one", "two")

const order = fc.record<OrderCommand>({
  do: fc.constant("order"),
  offer: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("datacenter", "mobile") }, fc.constant("residential")),
  quantity: fc.integer({ min: 1, max: 3 }),
  method: fc.constantFrom("wallet", "wallet", "card_gateway"),
  promo: fc.boolean(),
  key,
  provider: fc.constantFrom("answers", "answers", "is down", "refuses")
})

const extend = fc.record<ExtendCommand>({
  do: fc.constant("extend"),
  order: which,
  months: fc.integer({ min: 1, max: 3 }),
  key,
  provider: fc.constantFrom("answers", "answers", "refuses")
})

const reverseOf = (payment: fc.Arbitrary<number>) =>
  fc.record<ReversalCommand>({
    do: fc.constant("reverse"),
    payment,
    which: fc.constantFrom("one", "two"),
    kind: fc.constantFrom("refund", "dispute"),
    status: fc.constantFrom("announced", "taken", "taken", "returned"),
    cents: fc.constantFrom(null, 100, 300)
  })

const topUp = fc.record<TopUpCommand>({
  do: fc.constant("top up"),
  enabled: fc.constantFrom(true, true, true, false),
  threshold: fc.constantFrom(100, 300, 500),
  amount: fc.constantFrom(500, 500, 1000),
  monthly_limit: fc.constantFrom(500, 1000, 2500, 5000)
})

const banks: fc.Arbitrary<Bank> = fc.constantFrom(
  "pays",
  "pays",
  "declines",
  "asks the owner",
  "is silent",
  "loses the request"
)
const bank = fc.record({ do: fc.constant("bank" as const), answers: banks })
const saveCard = fc.constant({ do: "save card" as const })
const removeCard = fc.constant({ do: "remove card" as const })

const hours = fc.constantFrom(0.1, 0.5, 1, 20, 72, 26 * 24, 31 * 24)
const wait = fc.record({ do: fc.constant("wait" as const), hours })

const lift = fc.record({ do: fc.constant("lift" as const) })

const restriction = fc.oneof(
  fc.record({ do: fc.constant("restrict" as const), preset: fc.constantFrom("hold", "suspend") }),
  fc.record({ do: fc.constant("free" as const) }),
  fc.record({ do: fc.constant("ban" as const), hours: fc.constantFrom(1, 20, 200) })
)

const withdrawal = fc.oneof(
  fc.record({ do: fc.constant("withdraw" as const), cents: fc.constantFrom(100, 300, 600) }),
  fc.record({
    do: fc.constant("decide" as const),
    decision: fc.constantFrom<Decision>("approve", "send", "decline", "cancel")
  })
)

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary })

export const command: fc.Arbitrary<Command> = fc.oneof(
  weighted(5, order),
  weighted(3, fc.record({ do: fc.constant("deposit"), cents: fc.integer({ min: 1, max: 20 }).map((n) => n * 100) })),
  weighted(
    5,
    fc.record({
      do: fc.constant("pay"),
      payment: which,
      how: fc.constantFrom("as asked", "as asked", "as asked", "too little", "too much", "again", "unreported")
    })
  ),
  weighted(1, fc.record({ do: fc.constant("decline"), payment: which })),
  weighted(1, reverseOf(which)),
  weighted(1, lift),
  weighted(2, restriction),
  weighted(3, withdrawal),
  weighted(1, fc.record({ do: fc.constant("cancel"), order: which })),
  weighted(3, extend),
  weighted(2, fc.record({ do: fc.constant("auto-renew"), order: which, enabled: fc.boolean() })),
  weighted(1, fc.record({ do: fc.constant("tag"), order: which, tags: fc.constantFrom([], ["a"], ["a", "b"]) })),
  weighted(1, fc.record({ do: fc.constant("release"), order: which })),
  weighted(2, fc.record({ do: fc.constant("refund"), order: which, cents: fc.constantFrom(10, 70, 150, 400) })),
  weighted(2, fc.record({ do: fc.constantFrom("replace", "give"), order: which })),
  weighted(1, fc.record({ do: fc.constant("credit"), cents: fc.integer({ min: 1, max: 300 }) })),
  weighted(2, fc.record({ do: fc.constant("repeat"), request: which })),
  weighted(2, fc.record({ do: fc.constant("price"), percent: fc.constantFrom(100, 110, 130) })),
  weighted(2, fc.record({ do: fc.constant("quote"), offer: fc.constantFrom("datacenter", "mobile") })),
  weighted(1, saveCard),
  weighted(1, topUp),
  weighted(1, bank),
  weighted(3, wait)
)

const purchase = {
  do: "order",
  offer: "mobile",
  quantity: 1,
  method: "wallet",
  promo: false,
  key: null,
  provider: "answers"
} as const

/** Refunds and disputes of the latest payment, and purchases that leave too little in the wallet to pay them back. */
export const ofOnePayment: fc.Arbitrary<Command> = fc.oneof(
  weighted(8, reverseOf(fc.constant(0))),
  weighted(3, lift),
  weighted(3, fc.constant(purchase))
)

/** Withdrawals, while payments are reversed and the operator restricts the account. */
export const ofOneWallet: fc.Arbitrary<Command> = fc.oneof(
  weighted(6, withdrawal),
  weighted(3, reverseOf(fc.constantFrom(0, 1))),
  weighted(2, lift),
  weighted(1, restriction),
  weighted(2, fc.constant(purchase)),
  weighted(1, fc.record({ do: fc.constant("credit"), cents: fc.integer({ min: 1, max: 300 }) }))
)

/** Purchases that take the balance below the threshold of an automatic top-up, and what changes its charges. */
export const ofOneCard: fc.Arbitrary<Command> = fc.oneof(
  weighted(6, fc.constant(purchase)),
  weighted(6, wait),
  weighted(3, bank),
  weighted(2, topUp),
  weighted(1, removeCard),
  weighted(1, reverseOf(fc.constant(0))),
  weighted(1, lift)
)
