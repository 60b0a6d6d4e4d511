import { Effect, Schema } from "effect"
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

    const changeOf = (visit: Visit, { do: what, tag: given = [] }: Change) =>
      Effect.fnUntraced(function* (order: Order) {
        const { id, tags } = order
        if (what === "renew" || what === "keep")
          return yield* changes.setAutoRenew(callerOf(visit), order, what === "renew")
        const others = tags.filter((tag) => !given.includes(tag))
        return yield* management.setTags(callerOf(visit), id, what === "tag" ? [...others, ...given] : others)
      })

    const change = Effect.fnUntraced(function* (visit: Visit, wanted: Change) {
      const outcome = yield* ChosenProxies.each(yield* chosen(visit, wanted.ids.join()), changeOf(visit, wanted))
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
