import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice, sell } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import * as Browser from "../support/Browser.ts"
import { http } from "./PagesTesting.ts"
import { customer, placeOf, promoCode, wordsOf } from "./ShopTesting.ts"

const inDays = (days: number) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(Date.now() + days * 86_400_000)

const hostile = `"><script>alert(1)</script>`

layer(TestApp.layer(), { excludeTestServices: true })("The shop", (it) => {
  it.effect("shows what is sold, and what the filters choose", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open } = yield* customer()
      const shop = yield* open("/shop")
      assert.include(wordsOf(shop), "3 offers")
      for (const words of [
        "Datacenter, United States IPv4 · HTTP, SOCKS5 from $1.50 for 1 month In stock",
        "Residential ISP, Germany IPv4 · Munich, Berlin · HTTP, SOCKS5 from $3.50 for 1 month"
      ])
        assert.include(wordsOf(shop), words)
      const german = yield* browser.submit({ country: "DE" })
      assert.strictEqual(placeOf(german), "/shop?kind=&country=DE&stock=&currency=")
      assert.include(wordsOf(german), "1 offer ")
      assert.notInclude(wordsOf(german), "Datacenter, United States IPv4")
      assert.include(wordsOf(yield* open("/shop?kind=mobile&country=DE")), "Nothing is sold that fits")
      assert.include(wordsOf(yield* open("/shop?kind=nothing&country=%3Cb%3E&stock=x&offset=-1")), "3 offers")
      assert.strictEqual(placeOf(yield* open("/shop?kind=mobile&offset=24")), "/shop?kind=mobile")
      yield* sell((offer) => ({ ...offer, is_available: offer.kind !== "mobile" }))
      assert.include(wordsOf(yield* open("/shop?stock=in")), "2 offers")
      assert.include(wordsOf(yield* open("/shop?kind=mobile")), "from $2.00 for 1 day Sold out")
    })
  )

  it.effect("chooses by the places of a country, and shows prices in stars", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open } = yield* customer()
      assert.notInclude(wordsOf(yield* open("/shop")), "Any city")
      yield* open("/shop?country=DE")
      const bavarian = yield* browser.submit({ region: "Bavaria" })
      assert.include(wordsOf(bavarian), "1 offer ")
      // Berlin is a region too.
      assert.lengthOf(bavarian.text.match(/<option value="Berlin"/g) ?? [], 1)
      assert.include(wordsOf(yield* browser.submit({ city: "Munich" })), "1 offer ")
      // A place of another country chooses nothing.
      assert.include(wordsOf(yield* open("/shop?country=US&region=Bavaria&city=Munich")), "1 offer ")
      const id = yield* Testing.offerId("Datacenter")
      const stars = yield* open("/shop?currency=STAR")
      assert.include(wordsOf(stars), "from 75 stars for 1 month")
      assert.include(stars.text, `href="/app/shop/${id}?pay_with=wallet_stars"`)
    })
  )

  it.effect("keeps a promo code of the wallet for the offer that is chosen", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open } = yield* customer()
      const promo_code = yield* promoCode
      yield* open("/wallet")
      const shop = yield* browser.submit({ promo_code })
      assert.include(wordsOf(shop), `see what the promo code ${promo_code} takes off`)
      const filtered = yield* browser.submit({ country: "US" })
      const id = yield* Testing.offerId("Datacenter")
      assert.include(filtered.text, `href="/app/shop/${id}?promo_code=${promo_code}"`)
      assert.include(wordsOf(yield* open(`/shop/${id}?promo_code=${promo_code}`)), "−$0.30")
      assert.notInclude(wordsOf(yield* open(`/shop?promo_code=${"x".repeat(101)}`)), "takes off")
    })
  )

  it.effect("leads an empty account from the overview to a proxy that works", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, browser, open, orders, pay } = yield* customer()
      const overview = yield* open("")
      assert.include(wordsOf(overview), "Buy your first proxy")
      assert.include(overview.text, 'href="/app/shop"')
      const id = yield* Testing.offerId("Datacenter")
      assert.include((yield* open("/shop")).text, `href="/app/shop/${id}"`)
      assert.include(wordsOf(yield* open(`/shop/${id}`)), "1 × $1.50 Total $1.50 Your wallet: $100.00 now, $98.50")
      const offer = yield* browser.submit({ quantity: "2", period_days: "90", auto_renew: "on" })
      assert.include(wordsOf(offer), "2 × $4.00 Total $8.00 Your wallet: $100.00 now, $92.00 afterwards.")

      const review = yield* open(offer.url.replace("?", "/review?"))
      assert.match(placeOf(review), /nonce=[\w-]{36}$/)
      for (const words of [
        "How long 3 months (90 days)",
        `Ends ${inDays(90)} , if you buy today`,
        "How many 2",
        `Renews for $1.50 (1 month) on ${inDays(87)} , at today&#39;s price`,
        "Total $8.00",
        "$92.00 afterwards"
      ])
        assert.include(wordsOf(review), words)
      // The way back keeps the choices.
      assert.include(review.text, `<p class="back"><a href="/app/shop/${id}?period_days=90&amp;quantity=2&amp;`)
      assert.strictEqual(yield* balance, 100_000_000n)
      const placed = yield* pay({ notes: "my crawler" })
      assert.strictEqual(placed.redirects.at(-1)?.status, 303)
      assert.match(placeOf(placed), /^\/orders\/batch\/[\w-]{36}$/)
      // Two proxies of one purchase share their notes; their addresses tell them apart.
      const each = String.raw`Ready my crawler 192\.0\.2\.\d+:\d+ `
      assert.match(wordsOf(placed), new RegExp(`2 proxies are ready ${each}${each}Access`))
      assert.notInclude(placed.text, "data-live")
      assert.strictEqual(yield* balance, 92_000_000n)
      const bought = yield* orders
      assert.deepStrictEqual(
        bought.map(({ auto_renew, notes }) => [auto_renew, notes]),
        [
          [true, "my crawler"],
          [true, "my crawler"]
        ]
      )
      for (const { id } of bought) assert.include(placed.text, `href="/app/proxies/${id}"`)
      assert.match(placed.text, /http:\/\/[\w-]+:[\w-]+@[\w.-]+:\d+\n/)
    })
  )

  it.effect("says at each field what is wrong with it, and keeps what was typed", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open, orders, pay, review } = yield* customer()
      const mistakes = [
        ["Datacenter", { quantity: "0" }, "quantity"],
        ["Datacenter", { quantity: "many" }, "quantity"],
        ["Datacenter", { quantity: hostile }, "quantity"],
        ["Datacenter", { period_days: "31" }, "period_days"],
        ["Datacenter", { city: hostile }, "city"],
        ["Residential", { city: "Paris" }, "city"],
        ["Residential", { bandwidth_gb: "49" }, "bandwidth_gb"],
        ["Residential", { pay_with: "wallet_stars" }, "pay_with"],
        ["Residential", { protocol: "HTTPS" }, "protocol"],
        ["Datacenter", { promo_code: hostile }, "promo_code"],
        ["Datacenter", { pay_with: hostile }, "pay_with"],
        ["Datacenter", { auto_renew: hostile }, "auto_renew"],
        ["Mobile", { tarification_index: "9" }, "tarification_index"]
      ] as const
      for (const [offer, choice, field] of mistakes) {
        const page = yield* open(`/shop/${yield* Testing.offerId(offer)}?${new URLSearchParams(choice).toString()}`)
        const told = JSON.stringify([offer, choice])
        assert.strictEqual(page.status, 200, told)
        assert.include(page.text, `id="${field}-error"`, told)
        assert.include(page.text, `<a href="#${field}">`, told)
        assert.include(wordsOf(page), "There is no price yet", told)
        assert.notInclude(page.text, "<script>alert", told)
        assert.strictEqual((yield* review(choice, offer)).status, 422, told)
      }
      const twice = yield* open(`/shop/${yield* Testing.offerId("Datacenter")}?quantity=1&quantity=2`)
      assert.include(twice.text, 'id="quantity-error"')

      const sent = [
        [{ quantity: null }, 422, "Enter a number from 1 to 100"],
        [{ quantity: ["1", "2"] }, 422, "Enter a number from 1 to 100"],
        [{ pay_with: null }, 422, "Choose how you pay"],
        [{ notes: "n".repeat(1001) }, 422, "at most 1,000 characters"],
        [{ notes: ["a", "b"] }, 422, "at most 1,000 characters"],
        [{ nonce: null }, 422, "Nothing was changed"],
        [{ nonce: "x", notes: hostile }, 422, "Nothing was changed"],
        [{ expected_total: null }, 422, "Nothing was changed"],
        [{ expected_total: "-1" }, 422, "Nothing was changed"],
        [{ form_token: null, notes: hostile }, 403, "Nothing was changed"],
        [{ form_token: "0".repeat(64) }, 403, "Nothing was changed"],
        [{ promo_code: "NOPE" }, 422, "no such promo code"]
      ] as const
      for (const [fields, status] of sent) {
        yield* review({ promo_code: yield* promoCode })
        const page = yield* pay(fields)
        const told = JSON.stringify(fields)
        assert.strictEqual(page.status, status, told)
        assert.include(wordsOf(page), "There is a problem", told)
        assert.notInclude(page.text, "<script>alert", told)
        if ("notes" in fields && fields.notes === hostile)
          assert.include(page.text, "&lt;script&gt;alert(1)&lt;/script&gt;", told)
      }
      assert.lengthOf(yield* orders, 0)
    })
  )

  it.effect("says in words, and in German, what is not sold for stars, and how long a period is", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open } = yield* customer()
      const id = yield* Testing.offerId("Residential")
      const refused = yield* open(`/shop/${id}?pay_with=messenger_stars`)
      assert.include(wordsOf(refused), "This period is not sold for stars. Choose another way to pay")
      assert.notInclude(refused.text, "not sold in STAR")
      const headers = { "accept-language": "de" }
      const url = `${http}/app/shop`
      assert.include(wordsOf(yield* browser.open(url, { headers })), "ab 1,50 $ für 1 Monat")
      const datacenter = yield* Testing.offerId("Datacenter")
      assert.include(wordsOf(yield* browser.open(`${url}/${datacenter}`, { headers })), "3 Monate Unbegrenztes")
      const review = yield* browser.open(`${url}/${datacenter}/review?auto_renew=on`, { headers })
      assert.include(wordsOf(review), "1 Monat (30 Tage)")
      assert.match(wordsOf(review), /Verlängert sich am \d+\. \S+ \d{4} für 1,50 \$ \(1 Monat\)/)
      const mobile = yield* browser.open(
        `${url}/${yield* Testing.offerId("Mobile")}/review?tarification_index=1&auto_renew=on`,
        { headers }
      )
      assert.include(wordsOf(mobile), "Laufzeit 7 Tage Endet")
      assert.include(wordsOf(mobile), "für 9,00 $ (7 Tage)")
    })
  )

  it.effect("escapes the words of providers", () =>
    Effect.gen(function* () {
      yield* sell((offer) => ({
        ...offer,
        name: `${offer.name} ${hostile}`,
        description: hostile,
        locations: [{ region: "", city: hostile }],
        options: offer.options.map((option) => ({ ...option, period_name: hostile }))
      }))
      const { open, pay, review } = yield* customer()
      const pages = [
        yield* open("/shop"),
        yield* open(`/shop/${yield* Testing.offerId("Residential")}`),
        yield* review({ city: hostile }, "Residential"),
        yield* pay({ notes: hostile })
      ]
      for (const { status, text, url } of pages) {
        assert.strictEqual(status, 200, url)
        assert.include(text, "&lt;script&gt;", url)
        assert.notInclude(text, "<script>alert", url)
      }
      yield* reprice(100)
    })
  )

  it.effect("sells tariffs, traffic, cities and for stars", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open, orders, pay, review } = yield* customer()
      const mobile = yield* open(`/shop/${yield* Testing.offerId("Mobile")}`)
      assert.include(wordsOf(mobile), "1 day 5 GB of traffic included $2.00 100 stars")
      assert.include(wordsOf(yield* review({ tarification_index: "1" }, "Mobile")), "Total $9.00")
      yield* pay()
      assert.include(wordsOf(yield* review({ city: "Munich", bandwidth_gb: "60" }, "Residential")), "Total $9.50")
      yield* pay()
      assert.deepStrictEqual(
        (yield* orders).map(({ city, total }) => [city, total]),
        [
          [null, 9_000_000n],
          ["Munich", 9_500_000n]
        ]
      )
      const stars = yield* review({ pay_with: "messenger_stars" })
      assert.include(wordsOf(stars), "Pay 75 stars")
    })
  )

  it.effect("says that too few are left", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open } = yield* customer()
      const { setStock } = yield* MemoryProvider
      setStock(2)
      const page = yield* open(`/shop/${yield* Testing.offerId("Datacenter")}?quantity=3`)
      setStock(Infinity)
      assert.include(wordsOf(page), "Only 2 are left. Order at most this number")
      assert.include(page.text, 'id="quantity-error"')
    })
  )

  it.effect("knows only its own addresses", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open } = yield* customer()
      const id = yield* Testing.offerId("Datacenter")
      for (const path of [
        "/shop/999999",
        "/shop/x",
        "/shop/999999/review",
        "/orders/batch/x",
        "/orders/batch/x/cancel"
      ])
        assert.strictEqual((yield* open(path)).status, 404, path)
      const unknown = yield* open(`/orders/batch/${crypto.randomUUID()}`)
      assert.deepStrictEqual([unknown.status, wordsOf(unknown).includes("There is no such order.")], [404, true])
      const stranger = yield* Browser.forServer(http)
      for (const path of ["/shop", `/shop/${id}`, `/shop/${id}/review`, `/orders/batch/${crypto.randomUUID()}`]) {
        const page = yield* stranger.open(`${http}/app${path}`)
        assert.strictEqual(placeOf(page), `/sign-in?next=${encodeURIComponent(`/app${path}`)}`, path)
      }
    })
  )
})
