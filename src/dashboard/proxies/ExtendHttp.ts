import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { ExpectedTotal } from "../../orders/ExpectedTotal.ts"
import type { Faults } from "../../pages/Field.ts"
import { Decimal } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { extendPage } from "./ExtendPage.ts"
import * as ShowProxy from "./ShowProxy.ts"

const Months = Schema.Literals(["1", "3", "6", "12"])
const Extension = Schema.Struct({
  months: Months,
  expected_total: Decimal.pipe(Schema.decodeTo(ExpectedTotal)),
  nonce: Schema.String.check(Schema.isUUID())
})

const decodeMonths = Schema.decodeUnknownOption(Months)
const monthsOf = (given: string | null | undefined) => Option.getOrElse(decodeMonths(given), () => "1")

const unread = text("form.not_confirmed")

const messages = { months: unread, expected_total: unread, nonce: unread }

/** The price of an extension, and the extension. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* ProxyChanges
    const pages = yield* Pages
    const wallets = yield* Wallets
    const { orderOf } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id/extend` as const

    const review = Effect.fnUntraced(function* (visit: Visit, months: string, faults?: Faults) {
      const order = yield* orderOf(visit)
      const agreed = yield* changes.quoteExtension(order, { months: Number(months) })
      const { balance } = yield* wallets.balance(visit.user.id, agreed.terms.currency)
      const nonce = randomUUID()
      return extendPage(visit, { order, months, agreed, balance, nonce, ...(faults !== undefined && { faults }) })
    })

    const extend = Effect.fnUntraced(function* (
      visit: Visit,
      { expected_total, months, nonce }: typeof Extension.Type
    ) {
      const order = yield* orderOf(visit)
      const { session_id, user } = visit
      const caller = { user_id: user.id, credential: { _tag: "session", session_id } } as const
      yield* changes.extend(caller, order, { months: Number(months), expected_total }, nonce)
      return ShowProxy.done(visit, order.id, "extended")
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => review(visit, monthsOf(visit.query.get("months"))))
    )
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: Extension,
        messages,
        again: (visit, faults, { field }) => review(visit, monthsOf(field("months")), faults),
        act: extend
      })
    )
  })
)
