import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request as send } from "node:http"
import { HttpServer } from "effect/http"
import * as FormToken from "../../src/pages/FormToken.ts"
import { dashboardRoutes } from "../support/DashboardRoutes.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { hostile } from "./DeskTesting.ts"
import { addressOf, formFields, purposeOf } from "./FormFieldsTable.ts"
import { type Household, household, privateText, snapshot } from "./FormTesting.ts"
import { http } from "./PagesTesting.ts"

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** Forms that need no sign-in, and forms whose path names nothing of an account. */
const isEverybodys = (route: string) =>
  formFields[route]?.purpose !== undefined || /^\/app\/(sandbox\/pay|shop)\//.test(route)

/** Forms after which the account, its session or what they change is no longer there. */
const isEnding = (route: string) =>
  /deletion|cancel|release|revoke|remove|password|consent|sign-|register|claim|sessions|security/.test(route)

/** Values that a browser can send and that no form expects. The last are bytes that are no UTF-8: half a surrogate pair. */
const bad = {
  HTML: encodeURIComponent(hostile),
  "a long text": "x".repeat(60_000),
  NUL: "a%00b",
  "half a surrogate pair": "a%ED%A0%80b",
  "a line break and a bidi mark": "a%0D%0Ab%E2%80%AEc",
  "a formula": "%3D1%2B1",
  "a number that is too large": "9".repeat(400),
  "a number that is no number": "-1e999"
}

const encoded = (pairs: Pairs) => pairs.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join("&")

interface Sent {
  readonly about: string
  readonly pairs: Pairs
}

const pairsOf = (fields: Readonly<Record<string, string | ReadonlyArray<string>>>): Pairs =>
  Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, encodeURIComponent(value)] as const)
  )

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly url: string
}

/** Sends the raw body of a form in a person's browser, and does not follow a redirect. */
const post = (person: Household, path: string, body: string) =>
  HttpServer.addressFormattedWith((at) =>
    Effect.callback<Answer>((resume) => {
      const call = send(`${at.replace("0.0.0.0", "127.0.0.1")}${path}`, {
        method: "POST",
        agent: false,
        headers: {
          host: new URL(http).host,
          "content-type": "application/x-www-form-urlencoded",
          cookie: [...person.browser.cookies].map((pair) => pair.join("=")).join("; "),
          origin: "null",
          "sec-fetch-site": "same-origin"
        }
      })
      call.on("error", (error) => resume(Effect.die(error)))
      call.on("response", (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part) => parts.push(part))
        response.on("end", () => {
          const headers = Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)])
          )
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers,
              text: Buffer.concat(parts).toString(),
              url: path
            })
          )
        })
      })
      call.end(body)
    })
  )

const tokenOf = (person: Household, purpose: string) =>
  encodeURIComponent(FormToken.make(person.browser.cookies.get("browser") ?? "", purpose))

const isPage = ({ headers }: Answer) => headers["content-type"]?.startsWith("text/html") === true

/** No answer is a defect, and no page has markup of other people. */
const assertSound = (answer: Answer, about: string) => {
  // The sandbox takes no cards.
  if (!about.startsWith("/app/wallet/auto-top-up")) assert.notStrictEqual(answer.status, 503, about)
  assert.notStrictEqual(answer.status, 500, about)
  // A page speaks in the words of the catalog, and not of operations of the API.
  assert.notMatch(answer.text, /; (?:GET|POST|PUT|PATCH|DELETE) \//, about)
  assert.notInclude(answer.text, "<script>alert", about)
  assert.notInclude(answer.text, "<img src=x", about)
  // The form of the consent also leads to the app.
  const asks = answer.url.startsWith("/app/consent/") && answer.text.includes('name="decision"')
  if (isPage(answer)) assertSafe(answer, http, asks ? ["http:"] : [])
}

layer(TestApp.layerSandbox, { timeout: "10 minutes" })("Every form of the dashboard", (it) => {
  it.effect("does nothing for the ids of another person, and shows nothing of that person", () =>
    Effect.gen(function* () {
      const victim = yield* household
      const mallory = yield* household
      const routes = (yield* dashboardRoutes("POST")).filter((route) => !isEverybodys(route))
      for (const route of routes) {
        const fields = formFields[route]?.fields(victim) ?? {}
        const path = addressOf(route, victim)
        if (path === addressOf(route, mallory) && !("ids" in fields || "card_id" in fields)) continue
        const before = yield* snapshot
        const form_token = tokenOf(mallory, `${path}:${mallory.user_id}`)
        const answer = yield* post(mallory, path, encoded([...pairsOf(fields), ["form_token", form_token]]))
        assertSound(answer, route)
        assert.notStrictEqual(answer.status, 200, route)
        assert.deepStrictEqual(yield* snapshot, before, route)
        for (const secret of [privateText, victim.account.email, victim.user_id])
          assert.notInclude(answer.text, secret, route)
      }
      // One id of one's own does not make the others one's own.
      const before = yield* snapshot
      const ids = [mallory.ids["order_id"] ?? "", victim.ids["order_id"] ?? ""].join(",")
      for (const route of ["/app/proxies/chosen", "/app/proxies/chosen/extend"]) {
        const fields = {
          ...formFields[route]?.fields(mallory),
          ids,
          expected_totals: "1.5\n1.5",
          expected_ends: `${mallory.ends}\n${victim.ends}`
        }
        const form_token = tokenOf(mallory, purposeOf(route, mallory))
        const answer = yield* post(mallory, route, encoded([...pairsOf(fields), ["form_token", form_token]]))
        assertSound(answer, route)
        assert.deepStrictEqual(yield* snapshot, before, route)
        assert.notInclude(answer.text, victim.account.email)
      }
    })
  )

  it.effect("does nothing without its token, or with one of another form, browser or person", () =>
    Effect.gen(function* () {
      const person = yield* household
      const other = yield* household
      for (const route of yield* dashboardRoutes("POST")) {
        // The state of a sandbox payment has no owner. The code of a mail stands for its reader.
        if (route.startsWith("/app/sandbox/") || route === "/app/unsubscribe") continue
        const fields = pairsOf(formFields[route]?.fields(person) ?? {})
        const before = yield* snapshot
        const tokens = [
          [],
          [""],
          ["0".repeat(64)],
          ["%00"],
          [tokenOf(person, "sign-out-of-another")],
          [tokenOf(other, purposeOf(route, person))],
          [tokenOf(person, purposeOf(route, other)), tokenOf(person, purposeOf(route, other))]
        ].filter((given) => !given.includes(tokenOf(person, purposeOf(route, person))))
        for (const given of tokens) {
          const body = encoded([...fields, ...given.map((token) => ["form_token", token] as const)])
          const answer = yield* post(person, addressOf(route, person), body)
          assertSound(answer, route)
          assert.include(route === "/app/sign-out" ? [303] : [403], answer.status, `${route} ${given.join(" ")}`)
        }
        assert.deepStrictEqual(yield* snapshot, before, route)
      }
    })
  )

  it.effect("answers missing, doubled, hostile and endless fields with a page, and a refusal changes nothing", () =>
    Effect.gen(function* () {
      const shared = yield* household
      let last = yield* snapshot
      for (const route of yield* dashboardRoutes("POST")) {
        const person = isEnding(route) ? yield* household : shared
        if (isEnding(route)) last = yield* snapshot
        const { browser } = person
        const cookies = [...browser.cookies]
        const sendForm = Effect.fnUntraced(function* ({ about, pairs }: Sent) {
          // A form may sign in or out.
          for (const [name, value] of cookies) browser.cookies.set(name, value)
          const form_token = ["form_token", tokenOf(person, purposeOf(route, person))] as const
          const answer = yield* post(person, addressOf(route, person), encoded([...pairs, form_token]))
          assertSound(answer, `${route}: ${about}`)
          return answer.status
        })
        /** The sum of the tables takes longer than a request. So the refused forms beside an accepted one are sent again. */
        const sendAll = Effect.fnUntraced(function* (forms: ReadonlyArray<Sent>) {
          const before = last
          const statuses = yield* Effect.forEach(forms, sendForm)
          last = yield* snapshot
          const refused = forms.filter((_, index) => (statuses[index] ?? 0) >= 400)
          const about = `${route}: ${refused.map(({ about }) => about).join(", ")}`
          if (refused.length === forms.length) return assert.deepStrictEqual(last, before, about)
          for (const form of refused) if ((yield* sendForm(form)) < 400) last = yield* snapshot
          assert.deepStrictEqual(yield* snapshot, last, about)
        })
        const right = pairsOf(formFields[route]?.fields(person) ?? {})
        const names = new Set(right.map(([name]) => name))
        for (const name of names) {
          const others = right.filter(([other]) => other !== name)
          const long = { about: `${name} has 100 KB`, pairs: [...others, [name, "x".repeat(100_000)] as const] }
          assert.strictEqual(yield* sendForm(long), 413, route)
        }
        for (const name of names) {
          const others = right.filter(([other]) => other !== name)
          const own = right.filter(([other]) => other === name)
          const with_ = (about: string, pairs: Pairs): Sent => ({
            about: `${name} ${about}`,
            pairs: [...others, ...pairs]
          })
          yield* sendAll([
            with_("is missing", []),
            with_("is doubled", [...own, ...own]),
            with_(
              "is a long list",
              Array.from({ length: 90 }, () => [name, "x"] as const)
            ),
            ...Object.entries(bad).map(([what, value]) => with_(`has ${what}`, [[name, value]]))
          ])
        }
        const tooMany = Array.from({ length: 200 }, (_, index) => [`field${index}`, "x"] as const)
        yield* sendAll([
          { about: "no field", pairs: [] },
          { about: "too many fields", pairs: [...right, ...tooMany] }
        ])
        assert.notStrictEqual(
          yield* sendForm({ about: "right", pairs: right }),
          422,
          `${route}: the values of the table`
        )
        last = yield* snapshot
      }
    })
  )
})
