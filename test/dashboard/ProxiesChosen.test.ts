import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { assertSafe } from "../support/Markup.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { reprice } from "../support/Repricing.ts"
import { ProxyChanges } from "../../src/orders/changes/ProxyChanges.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { statementsOf } from "../support/Statements.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"
import { ordersOf, owner, rowsOf } from "./ProxiesTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("Several chosen proxies", (it) => {
  it.effect("renew automatically or not, and say which did not change and why", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [a = "", b = "", c = ""] = yield* buy({ quantity: 3 })
      yield* at("proxies")
      const chosen = yield* browser.submit({ id: [a, b] }, { action: "/chosen" })
      assert.strictEqual(placeOf(chosen), `proxies/chosen?id=${a}&id=${b}`)
      assertSafe(chosen, http)
      assert.include(wordsOf(chosen), "2 chosen proxies")
      assert.match(
        wordsOf(chosen),
        /Auto-renew of 2 of them costs \$3\.00 together .* We charge the first on \d+ \w+ \d{4}/
      )
      assert.strictEqual(rowsOf(chosen), 2)
      for (const { host, id, port } of yield* ordersOf(user_id))
        assert.strictEqual(wordsOf(chosen).includes(`${host}:${port}`), id !== c)
      const on = yield* browser.submit({ do: "renew" }, { action: "/chosen" })
      assert.include(wordsOf(on), "2 proxies done")
      assert.include(wordsOf(on), "ends in 30 days , renews automatically")
      const renewing = Effect.map(ordersOf(user_id), (orders) =>
        orders.filter(({ auto_renew }) => auto_renew).map(({ id }) => id)
      )
      assert.sameMembers(yield* renewing, [a, b])
      const again = yield* browser.submit({ do: "keep" }, { action: "/chosen" })
      assert.include(wordsOf(again), "2 proxies done")
      assert.deepStrictEqual(yield* renewing, [])
      assert.strictEqual((yield* ordersOf(user_id)).length, 3)
      assert.notInclude(again.text, c)
    })
  )

  it.effect("get no tag when one of them would have more than 50", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [full = "", other = ""] = yield* buy({ quantity: 2 })
      const many = Array.from({ length: 50 }, (_, index) => `tag${index}`)
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET tags = ${many} WHERE id = ${full}`)
      yield* at("proxies")
      yield* browser.submit({ id: [other, full] }, { action: "/chosen" })
      for (const [tag, fault] of [
        ["one more", "A proxy has at most 50 tags"],
        [["tag0", "one more"].join(), "A proxy has at most 50 tags"],
        [[...many, "one more"].join(), "Enter 1 to 50 tags"]
      ] as const) {
        const refused = yield* browser.submit({ do: "tag", tag }, { action: "/chosen" })
        assert.strictEqual(refused.status, 422)
        assert.include(faultsOf(refused)["tag"], fault)
        assertSafe(refused, http)
      }
      const tags = new Map((yield* ordersOf(user_id)).map((order) => [order.id, order.tags]))
      assert.deepStrictEqual([tags.get(full), tags.get(other)], [many, []])
      const added = yield* browser.submit({ do: "tag", tag: "tag49" }, { action: "/chosen" })
      assert.include(wordsOf(added), "2 proxies done")
    })
  )

  it.effect("get a tag and lose it, where they can have one", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [mobile = ""] = yield* buy({ tarification_index: 0, notes: "mobile" }, "Mobile")
      const tags = Effect.map(ordersOf(user_id), ([order]) => order?.tags)
      yield* at(`proxies/chosen?id=${mobile}`)
      for (const tag of ["", " ", "x".repeat(101)]) {
        const refused = yield* browser.submit({ do: "tag", tag }, { action: "/chosen" })
        assert.strictEqual(refused.status, 422)
        assert.deepStrictEqual(faultsOf(refused), { tag: "Enter 1 to 50 tags of at most 100 characters" })
      }
      for (let time = 0; time < 2; time++) yield* browser.submit({ do: "tag", tag: " london " }, { action: "/chosen" })
      assert.deepStrictEqual(yield* tags, ["london"])
      yield* browser.submit({ do: "tag", tag: "paris" }, { action: "/chosen" })
      assert.deepStrictEqual(yield* tags, ["london", "paris"])
      assert.include((yield* at("proxies?q=paris")).text, mobile)
      yield* at(`proxies/chosen?id=${mobile}`)
      yield* browser.submit({ do: "untag", tag: "london" }, { action: "/chosen" })
      assert.deepStrictEqual(yield* tags, ["paris"])
      yield* browser.submit({ do: "tag", tag: "a, b" }, { action: "/chosen" })
      assert.deepStrictEqual(yield* tags, ["paris", "a", "b"])
      yield* browser.submit({ do: "untag", tag: "paris, b" }, { action: "/chosen" })
      assert.deepStrictEqual(yield* tags, ["a"])
    })
  )

  it.effect("are extended after a look at each price, once however often the form is sent", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy, user_id } = yield* owner
      const ids = yield* buy({ quantity: 2, notes: "static" })
      const [mobile = ""] = yield* buy({ tarification_index: 0, notes: "mobile" }, "Mobile")
      const before = yield* balance
      yield* at(`proxies/chosen?ids=${[...ids, mobile].join()}`)
      const review = yield* browser.submit({ months: "3" }, { action: "/extend" })
      assertSafe(review, http)
      assert.strictEqual(rowsOf(review), 2)
      assert.include(wordsOf(review), "$4.00")
      assert.include(wordsOf(review), "Total $8.00 Your wallet:")
      assert.include(wordsOf(review), "has tariffs of its own. Extend it on its own page: mobile")
      assert.include(review.text, `proxies/${mobile}#cycle`)
      assert.notInclude(wordsOf(review), "cannot be extended")
      assert.strictEqual(yield* balance, before)
      const form = review.forms.find(({ method, names }) => method === "POST" && names.has("nonce"))
      assert.strictEqual(form?.values["ids"], ids.join())
      const send = browser.post(form?.action ?? "", form?.values ?? {})
      const answers = yield* Effect.all([send, send], { concurrency: 2 })
      for (const answer of [...answers, yield* send]) {
        assert.strictEqual(answer.status, 200)
        assert.include(wordsOf(answer), "2 proxies done")
      }
      assert.strictEqual(before - (yield* balance), 8_000_000n)
      const ends = (yield* ordersOf(user_id))
        .filter(({ notes }) => notes === "static")
        .map(({ expires_at }) => expires_at)
      for (const end of ends) assert.isAbove(end.getTime() - Date.now(), 110 * 86_400_000)
    })
  )

  it.effect("are not extended once more from a second tab that shows their old ends", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy } = yield* owner
      const ids = yield* buy({ quantity: 2 })
      const before = yield* balance
      const tab = () =>
        Effect.map(at(`proxies/chosen/extend?ids=${ids.join()}&months=1`), ({ forms }) => {
          const form = forms.find(({ names }) => names.has("expected_ends"))
          return browser.post(form?.action ?? "", form?.values ?? {})
        })
      const [first, second] = [yield* tab(), yield* tab()]
      assert.include(wordsOf(yield* first), "2 proxies done")
      const refused = yield* second
      assert.include(wordsOf(refused), "0 proxies done 2 proxies did not change:")
      assert.include(wordsOf(refused), "after you opened the page")
      assert.include(wordsOf(yield* first), "2 proxies done", "the first tab, loaded again")
      assert.strictEqual(before - (yield* balance), 3_000_000n)
    })
  )

  it.effect("are priced with as many statements for fifty as for two", () =>
    Effect.gen(function* () {
      const { buy, user_id } = yield* owner
      yield* buy({ quantity: 48 })
      yield* buy({ quantity: 2, tarification_index: 0 }, "Mobile")
      const { orders } = yield* Orders.use((orders) => orders.list(user_id, {}, { limit: 50, offset: 0 }))
      const all = yield* Orders.use((found) =>
        found.several(
          user_id,
          orders.map(({ id }) => id)
        )
      )
      const changes = yield* ProxyChanges
      const pricing = (some: typeof all) =>
        statementsOf(
          Effect.gen(function* () {
            const renewals = yield* changes.renewals(some)
            const others = some.filter(({ proxy_type }) => proxy_type !== "mobile")
            const quotes = yield* changes.quoteExtensions(others, 1)
            assert.deepStrictEqual(
              [renewals.length, quotes.filter(Result.isSuccess).length],
              [some.length, others.length]
            )
          })
        )
      const few = yield* pricing(all.slice(1, 3))
      assert.deepStrictEqual(few, ["", "", "quoted_change"])
      assert.deepStrictEqual(yield* pricing(all), few)
    })
  )

  it.effect("are extended at the price that was shown, also when the price has risen meanwhile", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy } = yield* owner
      const ids = yield* buy({ quantity: 2 })
      const before = yield* balance
      yield* at(`proxies/chosen/extend?ids=${ids.join()}&months=1`)
      yield* reprice(200)
      yield* browser.submit({}, { action: "/extend" })
      assert.strictEqual(before - (yield* balance), 3_000_000n)
    })
  )

  it.effect("are not charged another price than the one that was shown", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy } = yield* owner
      const ids = yield* buy({ quantity: 2 })
      const before = yield* balance
      yield* at(`proxies/chosen/extend?ids=${ids.join()}&months=1`)
      const sql = yield* SqlClient.SqlClient
      // As after ten minutes.
      yield* sql`DELETE FROM quoted_change`
      yield* reprice(200)
      const refused = yield* browser.submit({}, { action: "/extend" })
      assert.include(wordsOf(refused), "0 proxies done 2 proxies did not change:")
      assert.include(wordsOf(refused), "The price has changed. Nothing was charged.")
      yield* at(`proxies/${ids[0]}/extend?months=1`)
      yield* sql`DELETE FROM quoted_change`
      yield* reprice(300)
      const one = yield* browser.submit({}, { action: "/extend" })
      assert.strictEqual(one.status, 409)
      assert.include(wordsOf(one), "Total $4.50")
      assert.strictEqual(yield* balance, before)
      yield* browser.submit({}, { action: "/extend" })
      assert.strictEqual(before - (yield* balance), 4_500_000n)
    })
  )

  it.effect("are not charged when their provider refuses, and the others are extended", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy } = yield* owner
      const ids = yield* buy({ quantity: 3 })
      const before = yield* balance
      const memory = yield* MemoryProvider
      yield* at(`proxies/chosen/extend?ids=${ids.join()}&months=1`)
      memory.nextChange("refuse")
      const done = yield* browser.submit({}, { action: "/extend" })
      assert.include(wordsOf(done), "2 proxies done 1 proxy did not change:")
      assert.strictEqual(before - (yield* balance), 3_000_000n)
    })
  )

  it.effect("belong to the person: others, unknown ones and malformed ones change nothing", () =>
    Effect.gen(function* () {
      const one = yield* owner
      const [theirs = ""] = yield* one.buy()
      const other = yield* owner
      const [own = ""] = yield* other.buy()
      const before = [yield* ordersOf(one.user_id), yield* ordersOf(other.user_id)]
      for (const ids of [theirs, `${own},${theirs}`, randomUUID()]) {
        for (const page of ["chosen", "chosen/extend", "chosen/export"])
          assert.strictEqual((yield* other.at(`proxies/${page}?ids=${ids}`)).status, 404, `${page} ${ids}`)
        const renewed = yield* other.post("proxies/chosen", { ids, do: "renew" })
        assert.strictEqual(renewed.status, 404)
        const expected_totals = ids.replace(/[\w-]{36}/g, "1.50").replace(",", ";")
        const expected_ends = ids.replace(/[\w-]{36}/g, new Date(0).toISOString())
        const extension = { ids, months: "1", expected_totals, expected_ends, nonce: randomUUID() }
        const extended = yield* other.post("proxies/chosen/extend", extension)
        assert.strictEqual(extended.status, 404)
      }
      for (const ids of ["", "7", `${own},7`, "%00"]) {
        const none = yield* other.at(`proxies/chosen?ids=${ids}`)
        assert.strictEqual(none.status, 422, ids)
        assert.include(wordsOf(none), "Tick 1 to 100 proxies first.")
        assert.match(none.text, /<p class="back"><a href="[^"]*\/app\/proxies">/)
      }
      assert.deepStrictEqual([yield* ordersOf(one.user_id), yield* ordersOf(other.user_id)], before)
    })
  )

  it.effect("refuse stale tokens, and fields that are missing, doubled or wrong", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy, user_id } = yield* owner
      const ids = (yield* buy({ quantity: 2 })).join()
      const [before, money] = [yield* ordersOf(user_id), yield* balance]
      const free = [
        [{ form_token: null, do: "renew" }, 403],
        [{ form_token: "0".repeat(64), do: "renew" }, 403],
        [{}, 422],
        [{ do: "burn" }, 422],
        [{ do: ["renew", "keep"] }, 422],
        [{ do: "renew", ids: [ids, ids] }, 422],
        [{ do: "tag", tag: ["a", "b"] }, 422],
        [{ do: "tag" }, 422]
      ] as const
      for (const [fields, status] of free) {
        yield* at(`proxies/chosen?ids=${ids}`)
        const form = yield* browser.submit({ ...fields, tag: "tag" in fields ? fields.tag : "" }, { action: "/chosen" })
        assert.strictEqual(form.status, status, JSON.stringify(fields).slice(0, 60))
      }
      const spending = [
        [{ form_token: null }, 403],
        [{ nonce: null }, 422],
        [{ nonce: ["1", "2"] }, 422],
        [{ months: "25" }, 422],
        [{ months: null }, 422],
        [{ expected_totals: null }, 422],
        [{ expected_totals: "1.50" }, 422],
        [{ expected_totals: "1.50;free" }, 422],
        [{ expected_ends: null }, 422],
        [{ expected_ends: new Date(0).toISOString() }, 422],
        [{ expected_ends: "soon;later" }, 422]
      ] as const
      for (const [fields, status] of spending) {
        yield* at(`proxies/chosen/extend?ids=${ids}`)
        const form = yield* browser.submit(fields, { action: "/extend" })
        assert.strictEqual(form.status, status, JSON.stringify(fields))
      }
      assert.deepStrictEqual([yield* ordersOf(user_id), yield* balance], [before, money])
    })
  )

  it.effect("cannot be paid together when the wallet lacks money: nothing is offered", () =>
    Effect.gen(function* () {
      const { at, buy } = yield* owner
      const ids = yield* buy({ quantity: 50 })
      const review = yield* at(`proxies/chosen/extend?ids=${ids.join()}&months=1`)
      assert.match(wordsOf(review), /Total \$75\.00 Your wallet lacks \$50\.00\. Top up/)
      assert.isFalse(review.forms.some(({ names }) => names.has("nonce")))
    })
  )
})
