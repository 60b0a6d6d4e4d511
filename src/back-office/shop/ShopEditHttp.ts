import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { Text } from "../../platform/fields/Text.ts"
import { Line } from "../../platform/fields/Line.ts"
import { needs } from "../../staff/Actor.ts"
import { readShop, type ShopEdit } from "../../staff/shop/ShopChanges.ts"
import { ShopDesk } from "../../staff/shop/ShopDesk.ts"
import { ShopArticleNotFound } from "../../staff/shop/ShopErrors.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import * as ShopFlow from "./ShopFlow.ts"
import { articleForm, fileForm, ruleForm, type Typed } from "./ShopForms.ts"

type Field = (name: string) => string | undefined

const optional = Schema.optionalKey(Line(1, 200))
const Description = Schema.optionalKey(Text(1, 2000))

const Article = Schema.Struct({
  name: Line(1, 200),
  description: Description,
  state: Schema.Literals(["on", "renew_only", "off"]),
  limit: optional,
  periods: Text(1, 8000),
  ...ShopFlow.schema
})

const articleMessages = {
  name: text("goods.field_wrong"),
  description: text("goods.field_wrong"),
  state: text("admin.action_wrong"),
  limit: text("goods.field_wrong"),
  periods: text("goods.periods_wrong"),
  ...ShopFlow.messages
}

const selectors = { vendor: optional, kind: optional, country: optional, article: optional, days: optional }
const terms = {
  markup: optional,
  price: optional,
  floor: optional,
  round: optional,
  star_rate: optional,
  hidden: optional,
  name: optional,
  description: Description
}

const Rule = Schema.Struct({ ...selectors, ...terms, ...ShopFlow.schema })

const wrong = text("goods.field_wrong")
const ruleMessages = {
  vendor: wrong,
  kind: wrong,
  country: wrong,
  article: wrong,
  days: wrong,
  markup: wrong,
  price: wrong,
  floor: wrong,
  round: wrong,
  star_rate: wrong,
  hidden: wrong,
  name: wrong,
  description: wrong,
  ...ShopFlow.messages
}

const File = Schema.Struct({
  what: Schema.Literals(["file", "prices"]),
  text: Schema.String,
  ...ShopFlow.schema
})

const fileMessages = { what: text("admin.action_wrong"), text: text("goods.text_wrong"), ...ShopFlow.messages }

/** A form that was refused: what was typed, and why. */
interface Refused {
  readonly field: Field
  readonly faults: Faults
}

/** Fills a form with what was typed, or else with the present values. */
const filled = (refused: Refused | undefined, present: Readonly<Record<string, unknown>>, version: string): Typed => ({
  faults: refused?.faults ?? {},
  field:
    refused?.field ??
    ((name) => {
      const value = present[name]
      return value === undefined ? undefined : String(value)
    }),
  version: refused?.field("version") ?? version,
  key: randomUUID()
})

const articles = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* ShopDesk
    const flow = yield* ShopFlow.make
    const { pathTo, show, take } = yield* AdminPages

    const inPath = Effect.flatMap(HttpRouter.params, ({ article = "" }) =>
      /^[a-z0-9-]{1,63}$/.test(article) ? Effect.succeed(article) : Effect.fail(new ShopArticleNotFound())
    )
    const page = Effect.fnUntraced(function* (visit: AdminVisit, refused?: Refused) {
      yield* needs(visit.actor, "shop.change")
      const id = yield* inPath
      const { article, version } = yield* desk.article(visit.actor, id)
      return articleForm(visit, id, filled(refused, { ...article }, version))
    })

    yield* router.add(
      "GET",
      pathTo("shop/articles/:article"),
      show((visit) => page(visit))
    )
    yield* router.add(
      "POST",
      pathTo("shop/articles/:article"),
      take({
        fields: Article,
        messages: articleMessages,
        again: (visit, faults, { field }) => page(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, given) {
          const id = yield* inPath
          const { description, limit, name, periods, state } = given
          const edit: ShopEdit = { what: "article", id, fields: { description, limit, name, periods, state } }
          return yield* flow(visit, given, {
            path: pathTo(`shop/articles/${id}`),
            edit: Effect.succeed(edit),
            form: (typed) => articleForm(visit, id, typed)
          })
        })
      })
    )
  })
)

const rules = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* ShopDesk
    const flow = yield* ShopFlow.make
    const { pathTo, show, take } = yield* AdminPages

    /** Shows the present rule for the offers of the query. */
    const page = Effect.fnUntraced(function* (visit: AdminVisit, refused?: Refused) {
      const { actor, query } = visit
      yield* needs(actor, "shop.price")
      const version = yield* desk.version(actor)
      const asked = Object.fromEntries(
        Object.keys(selectors).map((name) => [name, query.get(name)?.slice(0, 200) ?? ""])
      )
      const present = { ...asked, ...(yield* desk.rule(actor, asked)) }
      return ruleForm(visit, filled(refused, present, version))
    })

    yield* router.add(
      "GET",
      pathTo("shop/rule"),
      show((visit) => page(visit))
    )
    yield* router.add(
      "POST",
      pathTo("shop/rule"),
      take({
        fields: Rule,
        messages: ruleMessages,
        again: (visit, faults, { field }) => page(visit, { faults, field }),
        act: (visit, given) => {
          const { edit: _edit, key: _key, plan: _plan, reason: _reason, version: _version, ...fields } = given
          const edit: ShopEdit = { what: "rule", fields }
          return flow(visit, given, {
            path: pathTo("shop/rule"),
            edit: Effect.succeed(edit),
            form: (typed) => ruleForm(visit, typed)
          })
        }
      })
    )
  })
)

const files = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* ShopDesk
    const flow = yield* ShopFlow.make
    const { pathTo, show, take } = yield* AdminPages

    const page = Effect.fnUntraced(function* (visit: AdminVisit, refused?: Refused) {
      const { actor } = visit
      yield* needs(actor, "shop.price")
      const { text, version } = yield* desk.file(actor)
      return fileForm(visit, filled(refused, { text }, version))
    })

    yield* router.add(
      "GET",
      pathTo("shop/file"),
      show((visit) => page(visit))
    )
    yield* router.add(
      "POST",
      pathTo("shop/file"),
      take({
        fields: File,
        isLong: true,
        messages: fileMessages,
        again: (visit, faults, { field }) => page(visit, { faults, field }),
        act: (visit, given) =>
          flow(visit, given, {
            path: pathTo("shop/file"),
            edit: Effect.map(readShop(given.text), (read): ShopEdit => ({ what: given.what, read })),
            form: (typed) => fileForm(visit, typed)
          })
      })
    )
  })
)

/** The forms that change the shop: an article, a price rule, and the whole file. */
export const layer = Layer.mergeAll(articles, rules, files)
