import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { choiceOf } from "./AutoTopUp.ts"
import { autoTopUpView } from "./AutoTopUpApi.ts"
import { AutoTopUps } from "./AutoTopUps.ts"
import { SavedCards } from "./SavedCards.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "auto-top-up",
  Effect.fnUntraced(function* (handlers) {
    const autoTopUps = yield* AutoTopUps
    const cards = yield* SavedCards

    return handlers.handleAll({
      getAutoTopUp: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        return autoTopUpView(yield* autoTopUps.get(user_id))
      }),
      setAutoTopUp: Effect.fnUntraced(function* ({ payload: { enabled, ...settings } }) {
        const { user_id } = yield* Caller
        const choice =
          choiceOf({ ...settings, is_on: enabled }) ?? (yield* Effect.die("The contract accepted invalid settings"))
        return autoTopUpView(yield* autoTopUps.set(user_id, choice))
      }),
      listCards: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        const listed = yield* cards.list(user_id)
        return { cards: listed, total: listed.length }
      }),
      saveCard: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        return { url: yield* cards.begin(user_id) }
      }),
      removeCard: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        yield* cards.remove(user_id, params.card_id)
      })
    })
  })
)
