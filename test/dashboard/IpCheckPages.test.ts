import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { checksOf, completed, newIp } from "../ip-check/IpCheckTesting.ts"
import type { Page } from "../support/Browser.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import { MemoryBlocklists } from "../support/MemoryBlocklists.ts"
import { MemoryIpVendors, report, unavailable } from "../support/MemoryIpVendors.ts"
import { balanceOf } from "../support/OrderTesting.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { placeOf, signedIn, verifyEmail, wordsOf } from "./DeskTesting.ts"

/** A person with one dollar, at the page of the IP checks. */
const withMoney = Effect.gen(function* () {
  const person = yield* signedIn
  yield* verifyEmail(person.user_id)
  yield* fund(person.user_id, 1_000_000n)
  const page = yield* person.visit("ip-check")
  return { ...person, first: page, balance: balanceOf(person.user_id) }
})

/** Inserts a delivered order, which grants one free check. */
const delivered = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* OrderRows.offer
  yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(id, user_id, yield* DateTime.now))}`
  yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${id}`
})

const valueOf = (page: Page | undefined, name: string) =>
  page?.forms.find(({ names }) => names.has(name))?.values[name] ?? ""

const switched = (user: UserId, on: boolean) => Flags.use((flags) => flags.set("ip_reputation.check.enabled", user, on))

layer(TestApp.layer({ VERIFIED_EMAIL_TO_BUY: "true" }))("the pages of IP checks", (it) => {
  it.effect("have an entry in the menu, and say what each button costs", () =>
    Effect.gen(function* () {
      const { first } = yield* withMoney
      assert.match(first.text, /href="\/app\/ip-check"\s+aria-current="page"/)
      assert.match(first.text, /value="survey">\s*Search public lists, free/)
      assert.match(first.text, /value="check">\s*Check for \$0\.05/)
      assert.include(wordsOf(first), "You have used 0 of 0.")
      assert.include(wordsOf(first), "You have not checked an address yet.")
      const poor = yield* signedIn
      const low = yield* poor.visit("ip-check")
      assert.include(wordsOf(low), "Your balance does not cover a check. Top up")
      assert.match(low.text, /href="\/app\/wallet\/top-up">Top up<\/a>\s*<\/p>/)
    })
  )

  it.effect("compare an address with the lists, and never show a list that is not loaded as clean", () =>
    Effect.gen(function* () {
      const { balance, first, submit } = yield* withMoney
      assert.strictEqual(first.status, 200)
      const ip = newIp()
      const nothing = yield* submit({ ip: ` ${ip} `, what: "survey" })
      assert.strictEqual(placeOf(nothing), `ip-check?ip=${ip}`)
      assert.include(
        wordsOf(nothing),
        `Public lists about ${ip} On no loaded list 1 list is not loaded and tells nothing.`
      )
      assert.match(wordsOf(nothing), /memory_block By memory_block Blocklist Not listed/)
      assert.match(wordsOf(nothing), /memory_tor By memory_tor Exit of the Tor network Not loaded –/)
      assert.include(wordsOf(nothing), "The reputation services were not asked.")
      assert.include(nothing.text, `value="${ip}"`)
      yield* MemoryBlocklists.useSync((lists) => lists.list("memory_block", ip))
      const listed = wordsOf(yield* submit({ ip, what: "survey" }))
      assert.include(listed, "On 1 of 1 loaded lists")
      assert.include(listed, `Blocklist Listed in ${ip}/32`)
      assert.strictEqual(yield* balance, 1_000_000n)
    })
  )

  it.effect("charge a check once for each form, and show all that it found", () =>
    Effect.gen(function* () {
      const { balance, first, submit, visit } = yield* withMoney
      const vendors = yield* MemoryIpVendors
      const ip = newIp()
      vendors.setAnswer(
        Effect.succeed([
          report("one", { band: "suspicious", score: 55, risk: "<i>medium</i>" }, { vpn: true }),
          unavailable("two")
        ])
      )
      const checked = yield* submit({ ip, what: "check" })
      vendors.setAnswer()
      const words = wordsOf(checked)
      assert.match(placeOf(checked), /^ip-check\/[0-9a-f-]{36}$/)
      assert.include(words, "Suspicious A service finds this address suspicious")
      assert.match(checked.text, /<meter[^>]* value="55"/)
      assert.include(words, "55 of 100")
      assert.include(words, "This result is incomplete")
      assert.include(words, "Cost $0.05")
      assert.match(words, /Memory one Suspicious 55 of 100 A number <i>medium<\/i> A word/)
      assert.match(words, /Memory two Not reached It says nothing about this address\. – –/)
      assert.match(words, /VPN Reported/)
      assert.match(words, /Tor exit Not reported/)
      assert.include(words, "The address was on none of the blocklists that were loaded. A list that was not loaded")
      assert.notInclude(checked.text, "<i>")
      assert.strictEqual(yield* balance, 950_000n)

      const nonce = valueOf(first, "nonce")
      yield* visit("ip-check")
      const again = yield* submit({ ip, what: "check", nonce })
      assert.strictEqual(placeOf(again), placeOf(checked))
      assert.strictEqual(yield* balance, 950_000n)
      assert.strictEqual(vendors.timesAsked(ip), 1)
      assert.strictEqual((yield* checksOf(ip)).length, 1)

      const list = yield* visit("ip-check")
      assert.match(wordsOf(list), new RegExp(`${ip.replaceAll(".", "\\.")} Suspicious incomplete 55 of 100 \\$0\\.05`))
    })
  )

  it.effect("say that no blocklist is loaded instead of that the address is on none", () =>
    Effect.gen(function* () {
      const { submit, visit } = yield* withMoney
      const lists = yield* MemoryBlocklists
      const ip = newIp()
      lists.setLoaded("memory_block", false)
      const checked = yield* submit({ ip, what: "check" })
      yield* visit("ip-check")
      const reused = yield* submit({ ip, what: "check" })
      lists.setLoaded("memory_block", true)
      for (const page of [checked, reused]) {
        assert.include(wordsOf(page), "No blocklist is loaded at the moment")
        assert.notInclude(wordsOf(page), "on none of")
      }
    })
  )

  it.effect("reuse a result of the last hour for nothing, also in a survey", () =>
    Effect.gen(function* () {
      const { balance, first, submit, visit } = yield* withMoney
      const ip = newIp()
      yield* submit({ ip, what: "check" })
      yield* visit("ip-check")
      const reused = yield* submit({ ip, what: "check" })
      assert.deepStrictEqual([reused.status, placeOf(reused)], [200, "ip-check"])
      assert.include(wordsOf(reused), "nothing: a result of the last hour")
      assert.include(wordsOf(reused), "Clean No source that we reached")
      assert.strictEqual(yield* balance, 950_000n)
      assert.include(wordsOf(yield* submit({ ip, what: "survey" })), "Known from a check of the last hour Clean")
      assert.strictEqual(first.status, 200)
    })
  )

  it.effect("use a free check when there is one, and ask again when another page has used it", () =>
    Effect.gen(function* () {
      const { balance, submit, user_id, visit } = yield* withMoney
      yield* delivered(user_id)
      const first = yield* visit("ip-check")
      assert.match(first.text, /value="check">\s*Check, free \(1 left\)/)
      assert.strictEqual(valueOf(first, "promised"), "0")
      const checked = yield* submit({ ip: newIp(), what: "check" })
      assert.include(wordsOf(checked), "Cost free check")
      yield* visit("ip-check")
      const late = yield* submit({ ip: newIp(), what: "check", promised: "0", nonce: randomUUID() })
      assert.strictEqual(late.status, 409)
      assert.match(late.text, /value="check">\s*Check for \$0\.05/)
      assert.strictEqual(yield* balance, 1_000_000n)
    })
  )

  it.effect("never charge more than the button said", () =>
    Effect.gen(function* () {
      const { balance, submit, visit } = yield* withMoney
      const ip = newIp()
      yield* visit("ip-check")
      const refused = yield* submit({ ip, what: "check", promised: "0" })
      assert.strictEqual(refused.status, 409)
      assert.include(wordsOf(refused), "The price of the check has changed meanwhile. We charged nothing.")
      assert.include(refused.text, `value="${ip}"`)
      assert.deepStrictEqual([yield* balance, (yield* checksOf(ip)).length], [1_000_000n, 0])
      assert.match(placeOf(yield* submit({ ip, what: "check" })), /^ip-check\/[0-9a-f-]{36}$/)
      assert.strictEqual(yield* balance, 950_000n)
    })
  )

  it.effect("say what is wrong, and keep the address", () =>
    Effect.gen(function* () {
      const { balance, submit, visit } = yield* withMoney
      const ip = newIp()
      for (const fields of [
        { ip: "10.1.2.3" },
        { ip: `"><script>alert(1)</script>` },
        { ip: null },
        { ip: [ip, ip] },
        { ip: "8".repeat(50_000) },
        { ip, what: "other" },
        { ip, what: ["check", "survey"] },
        { ip, promised: null },
        { ip, promised: "-1" },
        { ip, nonce: null }
      ]) {
        const page = yield* submit({ what: "check", ...fields })
        assert.strictEqual(page.status, 422, JSON.stringify(fields).slice(0, 80))
        assert.include(page.text, "<title>Error: ")
        assert.notInclude(page.text, "<script>alert")
      }
      const { text } = yield* submit({ ip: "10.1.2.3", what: "check" })
      assert.match(text, /name="ip"[^>]*value="10\.1\.2\.3"[^>]*aria-invalid="true"/)
      const forged = yield* submit({ ip, what: "check", form_token: "0".repeat(64) })
      assert.strictEqual(forged.status, 403)
      const shown = yield* visit(`ip-check?ip=${encodeURIComponent(`"><script>alert(1)</script>`)}`)
      assert.deepStrictEqual([shown.status, shown.text.includes("<script>alert")], [200, false])
      assert.include(wordsOf(shown), "Enter one public IPv4 or IPv6 address")
      assert.strictEqual(yield* balance, 1_000_000n)
    })
  )

  it.effect("tell a check without a result, an empty wallet and an email that is not verified", () =>
    Effect.gen(function* () {
      const { balance, submit, user_id } = yield* withMoney
      const vendors = yield* MemoryIpVendors
      vendors.setAnswer(Effect.succeed([unavailable("one"), unavailable("two")]))
      const failed = yield* submit({ ip: newIp(), what: "check" })
      vendors.setAnswer()
      assert.deepStrictEqual([failed.status, yield* balance], [503, 1_000_000n])
      assert.include(wordsOf(failed), "Too few services answered. We charged nothing.")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET email_verified = false WHERE id = ${user_id}`
      const unverified = yield* submit({ ip: newIp(), what: "check" })
      assert.deepStrictEqual([unverified.status, wordsOf(unverified).includes("Verify your email first")], [403, true])
      const poor = yield* signedIn
      yield* verifyEmail(poor.user_id)
      yield* poor.visit("ip-check")
      const refused = yield* poor.submit({ ip: newIp(), what: "check" })
      assert.deepStrictEqual([refused.status, wordsOf(refused).includes("Your balance is too low.")], [409, true])
    })
  )

  it.effect("page the past checks, and show no check of another account", () =>
    Effect.gen(function* () {
      const { user_id, visit } = yield* withMoney
      for (let minutes = 1; minutes <= 27; minutes++) yield* completed(user_id, newIp(), { minutes: 60 + minutes })
      assert.include(wordsOf(yield* visit("ip-check")), "1 to 25 of 27")
      assert.include(wordsOf(yield* visit("ip-check?offset=25")), "26 to 27 of 27")
      assert.strictEqual(placeOf(yield* visit("ip-check?offset=100")), "ip-check")
      const ip = newIp()
      const id = yield* completed(yield* newUser, ip, { minutes: 90 })
      const foreign = yield* visit(`ip-check/${id}`)
      assert.deepStrictEqual([foreign.status, foreign.text.includes(ip)], [403, false])
      for (const other of [randomUUID(), "7"]) assert.strictEqual((yield* visit(`ip-check/${other}`)).status, 404)
    })
  )

  it.effect("say when the checks are switched off, without an entry in the menu", () =>
    Effect.gen(function* () {
      const { balance, page, submit, user_id, visit } = yield* withMoney
      const ip = newIp()
      const id = yield* completed(user_id, ip, { minutes: 90 })
      yield* switched(user_id, false)
      const late = yield* submit({ ip, what: "check" })
      assert.deepStrictEqual([late.status, yield* balance], [403, 1_000_000n])
      const off = yield* visit("ip-check")
      assert.strictEqual(off.status, 200)
      assert.include(wordsOf(off), "IP checks are switched off at the moment.")
      assert.notInclude(off.text, 'href="/app/ip-check"')
      assert.isFalse(page()?.forms.some(({ names }) => names.has("ip")))
      assert.include(wordsOf(off), ip)
      assert.strictEqual((yield* visit(`ip-check/${id}`)).status, 200)
      assert.strictEqual((yield* visit(`ip-check?ip=${ip}`)).status, 200)
      assert.notInclude((yield* visit("keys")).text, "ip-check")
    })
  )
})
