import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { descriptions } from "../../src/wallet/EntryDescription.ts"
import * as Browser from "../support/Browser.ts"
import { fund } from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { http, password } from "./PagesTesting.ts"
import { credit, pay, signedIn } from "./WalletPagesTesting.ts"

/** The rows of the list of transactions. */
const rowsOf = ({ text }: Browser.Page) => text.match(/<tr role="row">/g)?.slice(1).length ?? 0

const linesOf = ({ text }: Browser.Page) => text.trimEnd().split("\r\n")

layer(TestApp.layer())("the wallet in the dashboard", (it) => {
  it.effect("shows both balances and each transaction with its type, its amount and its proxy", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      const order_id = randomUUID()
      const sql = yield* SqlClient.SqlClient
      yield* OrderRows.offer
      yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(order_id, user_id, yield* DateTime.now))}`
      yield* fund(user_id, 25_000_000n)
      yield* pay(user_id, order_id, 12_340_000n)
      yield* fund(user_id, 1_500n, "STAR")
      const page = yield* open("wallet")
      assert.match(page.text, /<p class="figure">\$12\.66<\/p>/)
      assert.match(page.text, /<p class="figure">1,500 stars<\/p>/)
      assert.strictEqual(rowsOf(page), 2)
      for (const text of [
        "Proxy for a month",
        "-$12.34",
        "$25.00",
        `href="/app/proxies/${order_id}"`,
        "Show the proxy"
      ])
        assert.include(page.text, text)
      assert.match(page.text, /href="\/app\/wallet"\s+aria-current="page"/)
      const stars = yield* open("wallet?currency=STAR")
      assert.strictEqual(rowsOf(stars), 1)
      assert.match(stars.text, /value="STAR"\s+selected/)
    })
  )

  it.effect("filters by type and shows 25 transactions at a time", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      for (let count = 0; count < 26; count++) yield* credit(user_id, `Deposit ${count}`)
      for (let count = 0; count < 3; count++) yield* pay(user_id, null)
      const all = yield* open("wallet")
      assert.strictEqual(rowsOf(all), 25)
      assert.include(all.text, "1 to 25 of 29")
      const deposits = yield* open("wallet?transaction_type=deposit&currency=USD")
      assert.include(deposits.text, "1 to 25 of 26")
      assert.notInclude(deposits.text, "Proxy for a month")
      const next = /href="([^"]*offset=25)"/.exec(deposits.text)?.[1]?.replaceAll("&amp;", "&")
      assert.strictEqual(next, "/app/wallet?currency=USD&transaction_type=deposit&offset=25")
      const last = yield* open("wallet?currency=USD&transaction_type=deposit&offset=25")
      assert.deepStrictEqual([rowsOf(last), last.text.includes("Deposit 0<")], [1, true])
      assert.strictEqual(rowsOf(yield* open("wallet?transaction_type=payment")), 3)
      const none = yield* open("wallet?transaction_type=refund")
      assert.include(none.text, "There are no transactions of this type.")
      const beyond = yield* open("wallet?transaction_type=deposit&offset=500")
      assert.strictEqual(beyond.url, `${http}/app/wallet?currency=USD&transaction_type=deposit`)
      for (const odd of ["transaction_type=gift&currency=EUR", "offset=-1", "offset=1e3", "transaction_type=%00"])
        assert.strictEqual(rowsOf(yield* open(`wallet?${odd}`)), 25, odd)
    })
  )

  it.effect("shows only the transactions of the person, and texts as text", () =>
    Effect.gen(function* () {
      const one = yield* signedIn
      const other = yield* signedIn
      yield* credit(one.user_id, `<script>alert(1)</script>`)
      const page = yield* one.open("wallet")
      assert.notInclude(page.text, "<script>alert")
      assert.include(page.text, "&lt;script&gt;alert(1)")
      assert.strictEqual(rowsOf(yield* other.open("wallet")), 0)
      assert.strictEqual(linesOf(yield* other.open("wallet/transactions.csv")).length, 1)
      const stranger = yield* Browser.forServer(http)
      for (const path of [
        "wallet",
        "wallet/transactions.csv",
        "wallet/top-up",
        "wallet/referrals",
        "wallet/invoices",
        "wallet/billing"
      ]) {
        const { redirects } = yield* stranger.open(`${http}/app/${path}`)
        assert.match(redirects[0]?.location ?? "", /\/app\/sign-in\?next=/)
      }
    })
  )

  it.effect("exports the chosen transactions as a file that a spreadsheet does not run", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      const hostile = [`=HYPERLINK("http://evil.example")`, "+1", "-1", "@SUM(A1)", "\u00a0=1", "\tx", "\rx"]
      const ids: Array<string> = []
      for (const description of hostile) ids.push(yield* credit(user_id, description, 10_500_000n))
      yield* pay(user_id, null)
      const page = yield* open("wallet?transaction_type=deposit")
      assert.include(page.text, `href="/app/wallet/transactions.csv?currency=USD&amp;transaction_type=deposit"`)
      const file = yield* open("wallet/transactions.csv?currency=USD&transaction_type=deposit")
      assert.deepInclude(file.headers, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="transactions.csv"`,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
      const [head, newest] = linesOf(file)
      assert.strictEqual(
        head,
        "created_at,transaction_type,status,amount,currency,description,payment_method,external_id,order_id,id,wallet_id,updated_at"
      )
      const id = ids.at(-1)
      assert.match(
        newest ?? "",
        RegExp(
          `^1970-01-01T00:00:00.000Z,deposit,completed,10.50,USD, x,card_gateway,ch_${id},,${id},[0-9a-f-]{36},1970-01-01T00:00:00.000Z$`
        )
      )
      for (const text of [
        `"'=HYPERLINK(""http://evil.example"")"`,
        ",'+1,",
        ",'-1,",
        ",'@SUM(A1),",
        ",'\u00a0=1,",
        ", x,"
      ])
        assert.include(file.text, text)
      // A number is no formula: it stays a number.
      assert.include((yield* open("wallet/transactions.csv")).text, ",payment,completed,-0.50,USD,Proxy for a month,")
      assert.strictEqual(linesOf(yield* open("wallet/transactions.csv?currency=STAR")).length, 1)
    })
  )

  it.effect("exports every transaction once, newest first", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      const ids: Array<string> = []
      // More than the service reads at once, many of them at one time.
      for (let count = 0; count < 1_001; count++) {
        if (count % 400 === 0) yield* TestClock.adjust("1 second")
        ids.push(yield* credit(user_id, "Deposit"))
      }
      const [, ...rows] = linesOf(yield* open("wallet/transactions.csv"))
      assert.deepStrictEqual(
        rows.map((row) => row.split(",").at(-3)),
        ids.toReversed()
      )
    })
  )

  it.effect("offers a referral link that fills in the code, and counts who came by it", () =>
    Effect.gen(function* () {
      const { open } = yield* signedIn
      const page = yield* open("wallet/referrals")
      const link = /<code id="link">([^<]*)</.exec(page.text)?.[1] ?? ""
      const code = /<code id="code">([^<]*)</.exec(page.text)?.[1] ?? ""
      assert.strictEqual(link, `${http}/app/register?referral_code=${code}`)
      assert.match(page.text, /People who registered<\/h2>\s*<p class="figure">0</)
      for (const text of ["10 % of each payment", "14 days", "Verify your email"]) assert.include(page.text, text)
      const friend = yield* Browser.forServer(http)
      assert.include((yield* friend.open(link)).text, `value="${code}"`)
      yield* friend.submit({ email: `${randomUUID()}@example.com`, password })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET referral_earned_usd = 2500000 WHERE referral_code = ${code}`
      const later = yield* open("wallet/referrals")
      assert.match(later.text, /People who registered<\/h2>\s*<p class="figure">1</)
      assert.match(later.text, /Earned so far<\/h2>\s*<p class="figure">\$2\.50</)
      const odd = yield* friend.open(`${http}/app/register?referral_code=${encodeURIComponent(`"><script>`)}`)
      assert.notInclude(odd.text, "<script>")
    })
  )

  it.effect("speaks German", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      yield* fund(user_id, 1_234_500_000n)
      const headers = { "accept-language": "de-AT" }
      yield* credit(user_id, descriptions.provider_down, 3_000_000n)
      yield* credit(user_id, descriptions.not_provisioned)
      yield* credit(user_id, "Refund: of another kind")
      const page = yield* open("wallet", headers)
      for (const text of [
        "Buchungen",
        "Aufladung",
        "1.239,50\u00a0$",
        "Als CSV herunterladen",
        "Erstattung: Der Anbieter war nicht erreichbar",
        "Erstattung: Der Proxy konnte nicht eingerichtet werden",
        "<bdi>Refund: of another kind</bdi>"
      ])
        assert.include(page.text, text)
      assert.include((yield* open("wallet/referrals", headers)).text, "Teilen Sie diesen Link")
    })
  )

  it.effect("is small, and has no inline code", () =>
    Effect.gen(function* () {
      const { open, user_id } = yield* signedIn
      for (let count = 0; count < 30; count++) yield* credit(user_id, `Deposit ${count}`)
      for (const [path, most] of [
        ["wallet", 60_000],
        ["wallet/top-up", 25_000],
        ["wallet/referrals", 25_000]
      ] as const) {
        const { headers, text } = yield* open(path)
        assert.isBelow(text.length, most, path)
        assert.notMatch(text, /\sstyle=|<style|\son\w+=|<script>/)
        assert.strictEqual(text.match(/<h1>/g)?.length, 1)
        assert.strictEqual(headers["cache-control"], "no-store")
      }
    })
  )
})
