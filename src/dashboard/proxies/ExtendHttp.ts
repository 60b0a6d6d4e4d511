import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { isMobileRotating } from "../../orders/Order.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import { periodText } from "../desk/PeriodText.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { Months, monthsOf, monthsText } from "./Months.ts"
import * as ReviewChange from "./ReviewChange.ts"
import * as ShowProxy from "./ShowProxy.ts"

const Tariff = Schema.String.check(Schema.isPattern(/^\d{1,3}$/))

const Extension = Schema.Struct({
  months: Schema.optionalKey(Months),
  tarification_index: Schema.optionalKey(Tariff),
  expected_expires_at: Schema.DateTimeUtcFromString,
  ...ReviewChange.confirmed
})

const decodeTariff = Schema.decodeUnknownOption(Tariff)

/** A button sends these fields, so a person cannot get them wrong. */
const unread = text("form.not_confirmed")
const messages = { months: unread, tarification_index: unread, expected_expires_at: unread, ...ReviewChange.messages }

/** The fields of a query or of a form. */
type Chosen = (name: string) => string | null | undefined

/** The price of an extension, and the extension: by months, or by a tariff for a mobile rotating proxy. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* ProxyChanges
    const pages = yield* Pages
    const reviewed = yield* ReviewChange.make
    const { orderOf } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id/extend` as const

    const review = Effect.fnUntraced(function* (visit: Visit, chosen: Chosen, faults?: Faults) {
      const order = yield* orderOf(visit)
      const nonce = chosen("nonce") ?? undefined
      const page = { page: "extend", title: text("proxies.extend_title"), order, nonce } as const
      const more = faults !== undefined && { faults }
      if (isMobileRotating(order)) {
        const index = Option.getOrElse(decodeTariff(chosen("tarification_index")), () =>
          String(order.tarification_index)
        )
        const agreed = yield* changes.quoteExtension(order, { tarification_index: Number(index) })
        const option = agreed.offer.options[Number(index)]
        const what = option && periodText(option)
        return yield* reviewed(visit, { ...page, ...more, agreed, what, field: ["tarification_index", index] })
      }
      const months = monthsOf(chosen("months"))
      const agreed = yield* changes.quoteExtension(order, { months: Number(months) })
      const what = monthsText(months)
      return yield* reviewed(visit, { ...page, ...more, agreed, what, field: ["months", months] })
    })

    const extend = Effect.fnUntraced(function* (visit: Visit, sent: typeof Extension.Type) {
      const order = yield* orderOf(visit)
      const { months, nonce, tarification_index, ...expected } = sent
      const wanted = {
        ...expected,
        ...(months !== undefined && { months: Number(months) }),
        ...(tarification_index !== undefined && { tarification_index: Number(tarification_index) })
      }
      return yield* changes.extend(callerOf(visit), order, wanted, nonce).pipe(
        Effect.as(ShowProxy.done(visit, order.id, "extended")),
        // The change goes on without this request.
        Effect.catchTag("RequestStillRunning", () => Effect.succeed(ShowProxy.done(visit, order.id, "under-way")))
      )
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => review(visit, (name) => visit.query.get(name)))
    )
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: Extension,
        messages,
        again: (visit, faults, { field }) => review(visit, field, faults),
        act: extend,
        told: ReviewChange.told
      })
    )
  })
)
