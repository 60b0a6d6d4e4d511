import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionAuthentication } from "../../accounts/Authentication.ts"
import * as Money from "../../platform/Money.ts"
import { Text } from "../../platform/fields/Text.ts"
import {
  AutoTopUpNotSet,
  CardNotFound,
  CardsNotOffered,
  PaymentMethodUnavailable,
  TooManyCards
} from "../PaymentErrors.ts"
import { SavedCard, SavedCardId } from "../SavedCard.ts"
import { type AutoTopUp, faults, StoppedBy } from "./AutoTopUp.ts"

const timestamp = Schema.DateTimeUtcFromString

const sum = (description: string, ...examples: ReadonlyArray<number | string>) =>
  Schema.Union([Schema.Finite, Text(1, 32)]).annotate({ description, examples })

const card_id = SavedCardId.annotate({ description: "The card that is charged; one of `GET /wallet/cards`" })

const AutoTopUpRequest = Schema.Struct({
  enabled: Schema.Boolean.annotate({ examples: [true] }),
  threshold: sum("The card is charged when the balance is below this: 1 to 1000 USD", 10, "10.00"),
  amount: sum("The amount of one payment: 5 to 1000 USD, and at least `threshold`", 25, "25.00"),
  monthly_limit: sum(
    "The most that the card pays in a calendar month (UTC): 5 to 10000 USD, and at least `amount`",
    100,
    "100.00"
  ),
  card_id
})
  .check(Schema.makeFilter(faults))
  .annotate({ identifier: "AutoTopUpRequest" })

const dollars = (description: string, example: number) => Schema.Finite.annotate({ description, examples: [example] })

const AutoTopUpView = Schema.Struct({
  enabled: Schema.Boolean.annotate({ examples: [true] }),
  threshold: dollars("The card is charged when the balance is below this", 10),
  amount: dollars("The amount of one payment, in USD", 25),
  monthly_limit: dollars("The most that the card pays in a calendar month (UTC)", 100),
  charged_this_month: dollars("The payments of this month that are made or under way", 50),
  card_id: Schema.NullOr(SavedCardId).annotate({ description: "Null when the card was removed" }),
  stopped_by: Schema.NullOr(StoppedBy).annotate({
    description: "The reason for which the service switched automatic top-up off; null when it did not"
  }),
  not_before: Schema.NullOr(timestamp).annotate({
    description: "After a declined payment, the time of the next one; null when there is no pause"
  }),
  updated_at: timestamp
}).annotate({ identifier: "AutoTopUp" })

const inDollars = (of: bigint) => Money.toNumber("USD", of)

export const autoTopUpView = (topUp: AutoTopUp): typeof AutoTopUpView.Type => {
  const { amount, card_id, is_on, monthly_limit, not_before, stopped_by, threshold, updated_at, used } = topUp
  return {
    enabled: is_on,
    threshold: inDollars(threshold),
    amount: inDollars(amount),
    monthly_limit: inDollars(monthly_limit),
    charged_this_month: inDollars(used),
    card_id,
    stopped_by,
    not_before,
    updated_at
  }
}

const CardView = SavedCard.json.annotate({ identifier: "SavedCard" })

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const getAutoTopUp = HttpApiEndpoint.get("getAutoTopUp", "/wallet/auto-top-up", {
  success: AutoTopUpView,
  error: AutoTopUpNotSet
}).annotateMerge(
  described("Get automatic top-up", "Returns the settings of your account. `404` means that they were never set.")
)

const setAutoTopUp = HttpApiEndpoint.put("setAutoTopUp", "/wallet/auto-top-up", {
  payload: AutoTopUpRequest,
  success: AutoTopUpView,
  error: [AutoTopUpNotSet, CardNotFound, CardsNotOffered]
}).annotateMerge(
  described(
    "Set automatic top-up",
    "While it is on, a saved card pays into your wallet whenever the dollar balance falls below `threshold`: one payment at " +
      "a time, never more than `monthly_limit` in a calendar month. If the balance is below `threshold` now, the card is " +
      "charged at once. The service notifies you of each payment. It switches automatic top-up off when the bank refuses the " +
      "card or asks you to confirm the payment, after three declined payments in a row, and when one of its payments is " +
      "refunded or disputed; `stopped_by` has the reason. `404` means that your account has no such card."
  )
)

const listCards = HttpApiEndpoint.get("listCards", "/wallet/cards", {
  success: Schema.Struct({ cards: Schema.Array(CardView), total: Schema.Int.annotate({ examples: [1] }) })
}).annotateMerge(
  described(
    "List saved cards",
    "Lists your cards, oldest first. The payment gateway keeps their numbers, the service does not."
  )
)

const saveCard = HttpApiEndpoint.post("saveCard", "/wallet/cards", {
  success: Schema.Struct({
    url: Schema.String.annotate({
      description: "The page of the payment gateway on which the card is entered; open it in a browser",
      examples: ["https://checkout.stripe.com/c/pay/cs_test_a1b2c3"]
    })
  }).pipe(HttpApiSchema.status(201)),
  error: [CardsNotOffered, PaymentMethodUnavailable, TooManyCards]
}).annotateMerge(
  described(
    "Save a card",
    "Returns the page on which to save a card; nothing is charged. The card is in the list when the gateway has reported it. " +
      "An account can have 5 cards (`409`). `503` means that no gateway is configured that keeps cards, or that it cannot be reached."
  )
)

const removeCard = HttpApiEndpoint.delete("removeCard", "/wallet/cards/:card_id", {
  params: { card_id: SavedCardId },
  success: HttpApiSchema.Empty(204),
  error: CardNotFound
}).annotateMerge(
  described(
    "Remove a saved card",
    "The card is not charged any more, and the payment gateway forgets it. If it is the card of automatic top-up, automatic " +
      "top-up is off. A payment that is under way continues."
  )
)

/** Automatic top-up and its cards. Only a signed-in person may let the service charge a card. */
export class AutoTopUpApi extends HttpApiGroup.make("auto-top-up")
  .add(getAutoTopUp, setAutoTopUp, listCards, saveCard, removeCard)
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Automatic top-up")
  .annotate(
    OpenApi.Description,
    "A saved card that pays into your wallet by itself. These operations need a signed-in session; API keys and apps are refused."
  ) {}
