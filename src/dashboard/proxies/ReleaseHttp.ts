import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { isLive } from "../../orders/OrderStatus.ts"
import { ProxyManagement } from "../../orders/proxies/ProxyManagement.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { plain, releasePage, typedName } from "./ReleasePage.ts"
import * as ShowProxy from "./ShowProxy.ts"

const wrong = text("proxies.release_name_wrong")

const Release = Schema.Struct({ name: Schema.String.check(Schema.isMaxLength(1_000)) })

/** The page that releases a proxy, when a person has typed its name. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const management = yield* ProxyManagement
    const pages = yield* Pages
    const { orderOf } = yield* ShowProxy.make
    const home = yield* pathOf("proxies")
    const path = `${home}/:order_id/release` as const

    /** A proxy that has ended leads to its page, which says so. */
    const show = Effect.fnUntraced(function* (
      visit: Visit,
      more: { faults?: Faults; typed?: string | undefined } = {}
    ) {
      const order = yield* orderOf(visit)
      return isLive(order.proxy_status) ? releasePage(visit, { order, ...more }) : redirect(`${home}/${order.id}`)
    })

    const release = Effect.fnUntraced(function* (visit: Visit, { name }: typeof Release.Type) {
      const order = yield* orderOf(visit)
      // The form was sent twice.
      if (order.proxy_status === "cancelled") return ShowProxy.done(visit, order.id, "released")
      if (plain(name) !== typedName(order))
        return yield* answer(422, releasePage(visit, { order, faults: { name: wrong }, typed: name }))
      yield* management.release(callerOf(visit), order.id)
      return ShowProxy.done(visit, order.id, "released")
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: Release,
        messages: { name: wrong },
        again: (visit, faults, { field }) => show(visit, { faults, typed: field("name") }),
        act: release
      })
    )
  })
)
