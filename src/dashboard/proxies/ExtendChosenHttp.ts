import { Array as Arr, Effect, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { AgreedChange } from "../../orders/changes/AgreeProxyChange.ts"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { ExpectedTotal } from "../../orders/OrderFields.ts"
import { isMobileRotating, type Order } from "../../orders/Order.ts"
import type { Faults } from "../../pages/Field.ts"
import { Decimal, Lines, Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { listOf } from "../../platform/fields/ListOf.ts"
import type { Currency } from "../../platform/Money.ts"
import * as UuidV5 from "../../platform/UuidV5.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ChosenProxies from "./ChosenProxies.ts"
import { extendChosenPage, extendedPage } from "./ExtendChosenPage.ts"
import { Months, monthsOf } from "./Months.ts"

/** Each proxy has a line. */
const most = { maximum: ChosenProxies.chosenAtMost }

const Extension = Schema.Struct({
  ids: ChosenProxies.ChosenIds,
  months: Months,
  /** The price of each proxy, in the order of their ids. */
  expected_totals: Lines.pipe(Schema.decodeTo(listOf(Decimal.pipe(Schema.decodeTo(ExpectedTotal)), most))),
  /** The end of each proxy, in the same order. */
  expected_ends: Lines.pipe(Schema.decodeTo(listOf(Schema.DateTimeUtcFromString, most))),
  nonce: Nonce
}).check(
  Schema.makeFilter(
    ({ expected_ends, expected_totals, ids }) =>
      (ids.length === expected_totals.length &&
        ids.length === expected_ends.length &&
        new Set(ids).size === ids.length) || { path: ["expected_totals"], issue: "Each proxy has a price and an end" }
  )
)

const unread = text("form.not_confirmed")

const messages = { ids: unread, months: unread, expected_totals: unread, expected_ends: unread, nonce: unread }

const totalsOf = (agreed: ReadonlyArray<AgreedChange>) => {
  const totals = new Map<Currency, bigint>()
  for (const { terms } of agreed) totals.set(terms.currency, (totals.get(terms.currency) ?? 0n) + terms.total)
  return [...totals]
}

/** The prices of more time for several proxies, and the extension of these. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* ProxyChanges
    const pages = yield* Pages
    const wallets = yield* Wallets
    const chosen = yield* ChosenProxies.make
    const path = `${yield* pathOf("proxies")}/chosen/extend` as const

    const review = Effect.fnUntraced(function* (visit: Visit, months: string, ids?: string, faults?: Faults) {
      const orders = yield* chosen(visit, ids)
      const [mobile, others] = Arr.partition(orders, (order) =>
        isMobileRotating(order) ? Result.succeed(order) : Result.fail(order)
      )
      const quoted = yield* changes.quoteExtensions(others, Number(months))
      const quotes = Arr.zip(others, quoted).map(([order, quote]) =>
        Result.mapError(quote, (failure) => ({ order, why: ChosenProxies.why(failure) }))
      )
      const [agreed, refused] = Arr.partition(quotes, (quote) => quote)
      const sums = yield* Effect.forEach(totalsOf(agreed), ([currency, total]) =>
        Effect.map(wallets.balance(visit.user.id, currency), ({ balance }) => [currency, { total, balance }] as const)
      )
      return extendChosenPage(visit, {
        orders,
        months,
        agreed,
        mobile,
        refused,
        sums,
        nonce: randomUUID(),
        ...(faults !== undefined && { faults })
      })
    })

    /** Each proxy has a key of its own, so a form that is sent again extends only those that were not extended. */
    const extend = Effect.fnUntraced(function* (
      visit: Visit,
      { expected_ends, expected_totals, ids, months, nonce }: typeof Extension.Type
    ) {
      const caller = callerOf(visit)
      const orders = yield* chosen(visit, ids.join())
      const expected = new Map(
        Arr.zip(expected_totals, expected_ends).map(
          ([expected_total, expected_expires_at], index) =>
            [ids[index], { expected_total, expected_expires_at }] as const
        )
      )
      const requestFor = ({ id }: Order) => ({ months: Number(months), ...expected.get(id) })
      const outcome = yield* ChosenProxies.each(orders, (order) =>
        changes.extend(caller, order, requestFor(order), UuidV5.make(nonce, order.id))
      )
      return extendedPage(visit, orders, outcome)
    })

    const again = (visit: Visit, faults: Faults, { field }: Submission) =>
      review(visit, monthsOf(field("months")), field("ids") ?? "", faults)

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => review(visit, monthsOf(visit.query.get("months"))))
    )
    yield* router.add("POST", path, pages.take({ fields: Extension, messages, again, act: extend }))
  })
)
