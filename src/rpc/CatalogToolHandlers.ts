import { Effect, Schema } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { Catalog, type EncodedAnswer } from "../catalog/Catalog.ts"
import { CatalogView } from "../catalog/CatalogView.ts"
import { CatalogTools } from "./CatalogTools.ts"
import { csv } from "../platform/Csv.ts"
import { asTool } from "./ToolFailure.ts"

/** The columns of a row (docs/contract.md, "Tool server"). */
const columns = [
  "kind",
  "id",
  "name",
  "country_code",
  "mode",
  "ip_version",
  "is_available",
  "currency",
  "locations",
  "options"
] as const

const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(CatalogView))
const utf8 = new TextDecoder()

const offersOf = Effect.fnUntraced(function* ({ body }: EncodedAnswer) {
  const { kinds } = yield* Effect.orDie(decodeAnswer(utf8.decode(body)))
  return kinds.flatMap(({ offers }) => offers)
})

/** Renders each answer of the catalog once. The rendered text lives as long as the answer. */
const remembered = <A>(render: (answer: EncodedAnswer) => Effect.Effect<A>) => {
  const known = new WeakMap<EncodedAnswer, A>()
  return Effect.fnUntraced(function* (answer: EncodedAnswer) {
    const rendered = known.get(answer) ?? (yield* render(answer))
    known.set(answer, rendered)
    return rendered
  })
}

export const layer = CatalogTools.toLayer(
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const list = remembered((answer) => Effect.map(offersOf(answer), (offers) => ({ offers, total: offers.length })))
    const table = remembered((answer) => Effect.flatMap(list(answer), ({ offers }) => csv(columns, offers)))

    return CatalogTools.of({
      list_offers: Effect.fnUntraced(function* ({ response_format, ...filter }) {
        const { user_id } = yield* Caller
        const answer = yield* catalog.answer({ ...filter, currency: "USD" }, user_id)
        return yield* response_format === "csv" ? table(answer) : list(answer)
      }, asTool)
    })
  })
)
