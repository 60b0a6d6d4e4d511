import { Data, Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { exportAnswer } from "../../orders/exports/ExportAnswer.ts"
import { OrderExports } from "../../orders/exports/OrderExports.ts"
import type { Order } from "../../orders/Order.ts"
import { ProxyManagement } from "../../orders/proxies/ProxyManagement.ts"
import { Tags } from "../../orders/proxies/Tags.ts"
import type { Faults } from "../../pages/Field.ts"
import { Lines } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { chosenPage } from "./ChosenPage.ts"
import * as ChosenProxies from "./ChosenProxies.ts"
import { makeExporting } from "./ExportChoice.ts"

const Change = Schema.Struct({
  ids: ChosenProxies.ChosenIds,
  do: Schema.Literals(["renew", "keep", "tag", "untag"]),
  tag: Schema.optionalKey(Lines.pipe(Schema.decodeTo(Tags.check(Schema.isMinLength(1)))))
}).check(
  Schema.makeFilter(
    ({ do: what, tag }) =>
      what === "renew" || what === "keep" || tag !== undefined || { path: ["tag"], issue: "A tag is needed" }
  )
)
type Change = typeof Change.Type

/** One of the proxies would have too many tags. */
class TooManyTags extends Data.TaggedError("TooManyTags")<{
  readonly status: 422
  readonly detail: string
  readonly field: "tag"
}> {}

const decodeTags = Schema.decodeUnknownOption(Tags)

/** The tags that a proxy has after the change. */
const tagsAfter = ({ do: what, tag: given = [] }: Change, { tags }: Order): ReadonlyArray<string> => {
  const others = tags.filter((tag) => !given.includes(tag))
  return what === "tag" ? [...others, ...given] : others
}

const messages = {
  ids: text("form.not_confirmed"),
  do: text("form.not_confirmed"),
  tag: text("proxy_list.tag_wrong")
}

/** Changes of several proxies, and their export. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* ProxyChanges
    const exporting = yield* makeExporting
    const exports = yield* OrderExports
    const management = yield* ProxyManagement
    const pages = yield* Pages
    const chosen = yield* ChosenProxies.make
    const path = `${yield* pathOf("proxies")}/chosen` as const

    const read = Effect.fnUntraced(function* (visit: Visit, ids?: string) {
      const orders = yield* chosen(visit, ids)
      return { orders, renewals: yield* changes.renewals(orders) }
    })

    const show = Effect.fnUntraced(function* (visit: Visit) {
      return chosenPage(visit, yield* read(visit))
    })

    const again = Effect.fnUntraced(function* (visit: Visit, faults: Faults, { field }: Submission) {
      return chosenPage(visit, { ...(yield* read(visit, field("ids") ?? "")), faults, tag: field("tag") })
    })

    const changeOf = (visit: Visit, wanted: Change) =>
      Effect.fnUntraced(function* (order: Order) {
        const { do: what } = wanted
        if (what === "renew" || what === "keep")
          return yield* changes.setAutoRenew(callerOf(visit), order, what === "renew")
        return yield* management.setTags(callerOf(visit), order.id, tagsAfter(wanted, order))
      })

    const change = Effect.fnUntraced(function* (visit: Visit, wanted: Change) {
      const orders = yield* chosen(visit, wanted.ids.join())
      if (wanted.do === "tag" && orders.some((order) => Option.isNone(decodeTags(tagsAfter(wanted, order)))))
        return yield* new TooManyTags({ status: 422, detail: "A proxy has at most 50 tags", field: "tag" })
      const outcome = yield* ChosenProxies.each(orders, changeOf(visit, wanted))
      return chosenPage(visit, { ...(yield* read(visit, wanted.ids.join())), outcome })
    })

    const save = Effect.fnUntraced(function* (visit: Visit) {
      const orders = yield* chosen(visit)
      const ids = orders.map(({ id }) => id)
      return yield* exporting(
        visit,
        (form) => Effect.map(exports.ofOrders(visit.user.id, ids, form), exportAnswer),
        (typed) => Effect.map(read(visit), (shown) => chosenPage(visit, { ...shown, typed }))
      )
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Change, messages, again, act: change }))
    yield* router.add("GET", `${path}/export`, pages.show(save))
  })
)
