import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { MobileProxies } from "../../orders/proxies/MobileProxies.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ShowProxy from "./ShowProxy.ts"

const Signature = Schema.Struct({ signature: Schema.String.check(Schema.isMaxLength(64)) })

/** The forms of mobile rotating proxies: another exit address, another device signature. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const mobile = yield* MobileProxies
    const pages = yield* Pages
    const { mobileOf, orderOf, show } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const rotate = Effect.fnUntraced(function* (visit: Visit) {
      const order = yield* orderOf(visit)
      const { current_ip } = yield* mobileOf(order)
      yield* mobile.reset(callerOf(visit), order.id)
      return ShowProxy.done(visit, order.id, "rotated", current_ip === null ? {} : { exit: current_ip })
    })

    const setSignature = Effect.fnUntraced(function* (visit: Visit, { signature }: typeof Signature.Type) {
      const { id } = yield* orderOf(visit)
      yield* mobile.setSignature(callerOf(visit), id, signature)
      return ShowProxy.done(visit, id, "signature")
    })

    yield* router.add(
      "POST",
      `${path}/rotate`,
      pages.take({ fields: Schema.Struct({}), messages: {}, again, act: rotate })
    )
    yield* router.add(
      "POST",
      `${path}/signature`,
      pages.take({
        fields: Signature,
        messages: { signature: text("proxies.signature_wrong") },
        again,
        act: setSignature
      })
    )
  })
)
