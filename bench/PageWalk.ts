import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as CatalogSync from "../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../src/catalog/CatalogWriter.ts"
import * as Browser from "../test/support/Browser.ts"

const password = "correct horse battery staple"

type OneBrowser = ReturnType<typeof Browser.make>

const idIn = (page: Browser.Page, pattern: RegExp) => pattern.exec(`${page.url}\n${page.text}`)?.[1] ?? ""

/** Puts $50 into the wallet on the page of the sandbox. */
const topUp = Effect.fnUntraced(function* (browser: OneBrowser, origin: string) {
  yield* browser.open(`${origin}/app/wallet/top-up`)
  const payment = yield* browser.submit({ amount: "50" })
  const payment_intent_id = idIn(payment, /payments\/([0-9a-f-]{36})/)
  yield* browser.open(`${origin}/app/sandbox/pay/${payment_intent_id}`)
  yield* browser.submit({ outcome: "paid" })
  return payment_intent_id
})

/** Reviews and buys the first offer of the shop; answers the page of its first proxy. */
const buy = Effect.fnUntraced(function* (browser: OneBrowser, origin: string) {
  const offer_id = idIn(yield* browser.open(`${origin}/app/shop`), /\/app\/shop\/(\d+)"/)
  yield* browser.open(`${origin}/app/shop/${offer_id}`)
  // The button of the form names another address than the form.
  yield* browser.open(`${origin}/app/shop/${offer_id}/review?period_days=30&quantity=1&protocol=HTTP&pay_with=wallet`)
  const placed = yield* browser.submit({}, { action: "/review" })
  const order_id = idIn(placed, /\/app\/proxies\/([0-9a-f-]{36})/)
  return { offer_id, key: idIn(placed, /orders\/batch\/([0-9a-f-]{36})/), order_id }
})

/**
 * Walks from the registration to the page of a working proxy, as a person does in a browser without scripts. Answers
 * the milliseconds that the service took, and the ids of what was made on the way.
 */
export const walk = Effect.fnUntraced(function* (origin: string) {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const browser = yield* Browser.forServer(origin)
  const email = `${randomUUID()}@example.com`
  const start = yield* Clock.currentTimeNanos
  yield* browser.open(`${origin}/app/register`)
  yield* browser.submit({ email, password })
  const payment_intent_id = yield* topUp(browser, origin)
  const bought = yield* buy(browser, origin)
  const proxy = yield* browser.open(`${origin}/app/proxies/${bought.order_id}`)
  const ms = Number((yield* Clock.currentTimeNanos) - start) / 1e6
  if (!proxy.text.includes('id="url"')) return yield* Effect.die(new Error(`No proxy at ${proxy.url}`))
  return { browser, email, ms, ids: { ...bought, payment_intent_id } }
})
