import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { Faults } from "../../pages/Field.ts"
import { usd } from "../../pages/Format.ts"
import { type Content, text } from "../../pages/Html.ts"
import { TypedAmount } from "../../pages/FormSchemas.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { choiceOf, faults as sumFaults, limits, misfits, type Sum } from "../../wallet/auto-top-up/AutoTopUp.ts"
import { AutoTopUps } from "../../wallet/auto-top-up/AutoTopUps.ts"
import { SavedCards } from "../../wallet/auto-top-up/SavedCards.ts"
import { SavedCardId } from "../../wallet/SavedCard.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { type AutoTopUpForm, autoTopUpPage, formOf, leadingPage } from "./AutoTopUpPage.ts"

const Fields = Schema.Struct({
  enabled: Schema.Literals(["on", "off"]),
  threshold: TypedAmount,
  amount: TypedAmount,
  monthly_limit: TypedAmount,
  card_id: SavedCardId
}).check(Schema.makeFilter(sumFaults))

const wrong = (name: Sum) =>
  text("autotopup.sum_wrong", { least: usd(limits[name].minimum), most: usd(limits[name].maximum) })

const messages = {
  enabled: text("autotopup.enabled_wrong"),
  threshold: wrong("threshold"),
  amount: wrong("amount"),
  monthly_limit: wrong("monthly_limit"),
  card_id: text("autotopup.card_wrong")
} as const

const outcomes: Readonly<Record<string, Content>> = {
  on: text("autotopup.saved_on"),
  off: text("autotopup.saved_off"),
  card: text("autotopup.card_saved"),
  soon: text("autotopup.card_soon"),
  removed: text("autotopup.removed")
}

const typedIn = ({ field }: Submission): AutoTopUpForm => ({
  enabled: field("enabled") ?? "",
  threshold: field("threshold") ?? "",
  amount: field("amount") ?? "",
  monthly_limit: field("monthly_limit") ?? "",
  card_id: field("card_id") ?? ""
})

const readAmount = Schema.decodeOption(TypedAmount)
const amountOf = (typed: string) => Option.getOrElse(readAmount(typed), () => typed)

/** Says which sums do not fit together, where each of them alone is right. */
const told = (faults: Faults, { amount, monthly_limit, threshold }: AutoTopUpForm): Faults => {
  const apart = misfits({
    threshold: amountOf(threshold),
    amount: amountOf(amount),
    monthly_limit: amountOf(monthly_limit)
  })
  return {
    ...faults,
    ...(apart.includes("amount") && { amount: text("autotopup.amount_below") }),
    ...(apart.includes("monthly_limit") && { monthly_limit: text("autotopup.limit_below") })
  }
}

/** The page of automatic top-up. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const autoTopUps = yield* AutoTopUps
    const cards = yield* SavedCards
    const pages = yield* Pages
    const path = yield* pathOf("wallet/auto-top-up")

    const shown = Effect.fnUntraced(function* (visit: Visit, faults?: Faults, typed?: AutoTopUpForm) {
      const listed = yield* cards.list(visit.user.id)
      const settings = Option.getOrUndefined(yield* autoTopUps.find(visit.user.id))
      return autoTopUpPage(visit, {
        areCardsOffered: cards.areOffered,
        cards: listed,
        settings,
        form: typed ?? formOf(settings, listed),
        faults,
        notice: faults === undefined ? outcomes[visit.query.get("outcome") ?? ""] : undefined
      })
    })

    /** Stores a card that was saved at the gateway a moment ago. If that fails, the gateway's call brings it. */
    const back = (visit: Visit, page_id: string) =>
      cards.complete(visit.user.id, page_id).pipe(
        Effect.orElseSucceed(() => false),
        Effect.map((isStored) => redirect(`${path}?outcome=${isStored ? "card" : "soon"}`))
      )

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const page_id = visit.query.get("page_id")
      return yield* page_id === null ? shown(visit) : back(visit, page_id)
    })

    const again = (visit: Visit, faults: Faults, typed: Submission) => {
      const form = typedIn(typed)
      return shown(visit, told(faults, form), form)
    }

    const save = Effect.fnUntraced(function* ({ user }: Visit, { enabled, ...sums }: typeof Fields.Type) {
      const choice =
        choiceOf({ ...sums, is_on: enabled === "on" }) ?? (yield* Effect.die(new Error("The form accepted wrong sums")))
      yield* autoTopUps.set(user.id, choice)
      return redirect(`${path}?outcome=${enabled}`)
    })

    /** Browsers block a redirect from a form to another host, so this answer leads on by its `Refresh` header. */
    const saveCard = Effect.fnUntraced(function* ({ user }: Visit) {
      const url = yield* cards.begin(user.id)
      return yield* answer(200, leadingPage(url), { headers: { refresh: `0; url=${url}` } })
    })

    const remove = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* cards.remove(user.id, yield* idInPath("card_id", SavedCardId))
      return redirect(`${path}?outcome=removed`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Fields, messages, again, act: save }))
    yield* router.add("POST", `${path}/cards`, pages.press(saveCard))
    yield* router.add("POST", `${path}/cards/:card_id/remove`, pages.press(remove))
  })
)
