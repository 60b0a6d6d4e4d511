import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { soldKinds } from "../../src/dashboard/help/ServiceStatus.ts"
import { DatabaseHealth } from "../../src/platform/postgres/DatabaseHealth.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import { offerOf } from "../support/MemoryOffers.ts"
import * as MockedApp from "../support/MockedApp.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice, sell } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { signedIn, verifyEmail, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"
import { atProxy } from "./ProxyPagesTesting.ts"

const run = promisify(execFile)
const german = { headers: { "accept-language": "de" } }

const unescaped = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** The example with this number, as a reader copies it. */
const exampleOn = ({ text }: Browser.Page, index: number) =>
  unescaped(new RegExp(`<pre id="code-${index}">([^<]*)</pre>`).exec(text)?.[1] ?? "")

const addressOf = HttpServer.addressFormattedWith((address) =>
  Effect.succeed(address.replace("0.0.0.0", "127.0.0.1").replace("[::]", "127.0.0.1"))
)

layer(TestApp.layer(), { excludeTestServices: true })("The help", (it) => {
  it.effect("leads to each first step, each guide and the state, and only to pages that exist", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { at, browser, user_id } = yield* signedIn
      const page = yield* at("help")
      assertSafe(page, http)
      assert.match(page.text, /<a href="\/app\/help"\s+aria-current="page"/)
      const words = wordsOf(page)
      for (const said of ["Your first steps", "Verify your email", "Put money into your wallet", "The service works."])
        assert.include(words, said)
      assert.include(words, "Datacenter in stock in 1 country In stock: United States")
      const links = Array.from(
        page.text.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g),
        ([, href = ""]) => new URL(unescaped(href), page.url)
      )
      for (const path of ["/app/email", "/app/wallet/top-up", "/app/shop", "/app/proxies", "/app/keys", "/docs/guides"])
        assert.isTrue(
          links.some(({ pathname }) => pathname.startsWith(path)),
          path
        )
      for (const { href } of links) assert.strictEqual((yield* browser.open(href)).status, 200, href)
      yield* verifyEmail(user_id)
      assert.notInclude(wordsOf(yield* at("help")), "Verify your email")
    })
  )

  it.effect("has examples that print the addresses of the active proxies once the key is in place", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { account, at, row } = yield* atProxy()
      const { host, password, port, username } = yield* row
      const address = yield* addressOf
      const { body } = yield* request("POST", "/v1/api-keys", {
        user: account.token,
        body: { name: "example", scopes: ["orders:read"] }
      })
      const page = yield* at("help")
      assert.include(page.text, `<code id="base-url">${http}/v1</code>`)
      const commands = [
        ["bash", "-c"],
        [process.execPath, "--input-type=module", "-e"],
        ["python3", "-c"]
      ] as const
      for (const [index, [command, ...options]] of commands.entries()) {
        const example = exampleOn(page, index)
        assert.include(example, http)
        const code = example.replaceAll(http, address)
        const withKey = code.replaceAll("YOUR_API_KEY", body.key)
        assert.notStrictEqual(withKey, code)
        const { stdout } = yield* Effect.promise(() => run(command, [...options, withKey], { timeout: 30_000 }))
        if (command !== "bash") assert.strictEqual(stdout, `${host}:${port}:${username}:${password}\n`)
        else assert.containSubset(JSON.parse(stdout).orders[0].proxy_access, [{ host, port, username, password }])
      }
    })
  )

  it.effect("is in German for those who read German, and for signed-in people only", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn
      const words = wordsOf(yield* browser.open(`${http}/app/help`, german))
      for (const said of ["Ihre ersten Schritte", "Die API verwenden", "Anleitungen", "Der Dienst funktioniert."])
        assert.include(words, said)
      const stranger = yield* Browser.forServer(http)
      const page = yield* stranger.open(`${http}/app/help`)
      assert.strictEqual(page.url, `${http}/app/sign-in?next=%2Fapp%2Fhelp`)
      for (const path of ["/app/status", "/docs/guides"]) assert.include(page.text, `href="${http}${path}"`)
    })
  )

  it.effect("shows everybody what is sold where, and what is sold out", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open } = yield* Browser.forServer(http)
      yield* sell((offer) => ({ ...offer, is_available: offer.kind === "residential" }))
      const page = yield* open(`${http}/app/status`)
      assertSafe(page, http)
      const words = wordsOf(page)
      for (const said of [
        "The service works.",
        "Residential in stock in 1 country In stock: Germany",
        "Datacenter Sold out",
        "Sold out: United States"
      ])
        assert.include(words, said)
      assert.include(wordsOf(yield* open(`${http}/app/status`, german)), "Verfügbar: Deutschland")
      yield* sell((offer) => ({ ...offer, is_available: true }))
      assert.notInclude(wordsOf(yield* open(`${http}/app/status`)), "Sold out")
      assert.isAbove(yield* Testing.offerId("Datacenter"), 0)
    })
  )

  it.effect("groups offers by kind and country; one offer in stock is enough", () =>
    Effect.sync(() => {
      const offers = [
        offerOf({ country_code: "US", is_available: false }),
        offerOf({ country_code: "US", is_available: true }),
        offerOf({ country_code: "FR", is_available: false }),
        offerOf({ country_code: "US", is_available: false }),
        offerOf({ kind: "mobile", country_code: "DE", is_available: false })
      ]
      assert.deepStrictEqual(soldKinds(offers), [
        { kind: "datacenter", available: ["US"], soldOut: ["FR"] },
        { kind: "mobile", available: [], soldOut: ["DE"] }
      ])
      assert.deepStrictEqual(soldKinds([]), [])
    })
  )
})

const offers = () => Effect.succeed([])

/** The page and the health endpoint of a service in some state. */
const statesOf = Effect.gen(function* () {
  const page = yield* request("GET", "/app/status")
  const health = yield* request("GET", "/health/ready")
  return { words: wordsOf({ text: String(page.body) } as Browser.Page), page: page.status, health: health.status }
})

const inState = (state: { readonly reachable: boolean; readonly migrated: boolean }, filled: boolean) =>
  MockedApp.layer(
    Layer.merge(
      Layer.mock(Catalog)({ filled: Effect.succeed(filled), offers }),
      Layer.mock(DatabaseHealth)({ state: Effect.succeed(state) })
    )
  )

for (const [state, filled, isReady] of [
  [{ reachable: true, migrated: true }, true, true],
  [{ reachable: false, migrated: false }, true, false],
  [{ reachable: true, migrated: false }, true, false],
  [{ reachable: true, migrated: true }, false, false]
] as const)
  layer(inState(state, filled))(`The state of the service: ${JSON.stringify({ ...state, filled })}`, (it) => {
    it.effect("agrees with the health endpoint, and says no more than that", () =>
      Effect.gen(function* () {
        const { health, page, words } = yield* statesOf
        assert.deepStrictEqual([page, health], [200, isReady ? 200 : 503])
        assert.include(words, isReady ? "The service works." : "Parts of the service do not work right now.")
        assert.include(words, "Nothing is on sale right now.")
        assert.notMatch(words, /database|migration/i)
      })
    )
  })
