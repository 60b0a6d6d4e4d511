import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { readShop, ShopChanges, type ShopEdit } from "./ShopChanges.ts"
import { ShopDesk } from "./ShopDesk.ts"
import { ShopArticleNotFound } from "./ShopErrors.ts"

interface Given {
  readonly text: string
  readonly version: string
  readonly plan: string
  readonly reason: string
}

/** The operations take whole files, so no article can be missing. */
const ofFiles = <A, E, R>(change: Effect.Effect<A, E | ShopArticleNotFound, R>) =>
  Effect.catchIf(
    change,
    (error): error is Extract<E | ShopArticleNotFound, ShopArticleNotFound> => error instanceof ShopArticleNotFound,
    Effect.die
  )

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminShop",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* ShopChanges
    const desk = yield* ShopDesk

    const plan = (what: "file" | "prices") =>
      Effect.fnUntraced(function* ({ text, version }: Pick<Given, "text"> & Partial<Given>) {
        const edit: ShopEdit = { what, read: yield* readShop(text) }
        return yield* changes.plan(yield* Actor, edit, version).pipe(ofFiles)
      })
    const apply = (what: "file" | "prices") =>
      Effect.fnUntraced(function* (key: string, { text, ...agreed }: Given) {
        const edit: ShopEdit = { what, read: yield* readShop(text) }
        return StaffActionApi.answer(yield* changes.apply(yield* Actor, key, edit, agreed).pipe(ofFiles))
      })

    return handlers.handleAll({
      getShop: () => Effect.flatMap(Actor, desk.file),
      listShopArticles: ({ query }) => Effect.flatMap(Actor, (actor) => desk.articles(actor, query)),
      listPriceRules: Effect.fnUntraced(function* () {
        return { items: yield* desk.rules(yield* Actor) }
      }),
      explainPrice: ({ params }) => Effect.flatMap(Actor, (actor) => desk.price(actor, params.offer_id)),
      planShop: ({ payload }) => plan("file")(payload),
      applyShop: ({ headers, payload }) => apply("file")(headers["idempotency-key"], payload),
      planPrices: ({ payload }) => plan("prices")(payload),
      applyPrices: ({ headers, payload }) => apply("prices")(headers["idempotency-key"], payload)
    })
  })
)
