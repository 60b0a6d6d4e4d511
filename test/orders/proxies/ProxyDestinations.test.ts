import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newPerson } from "../../contract/ContractTesting.ts"
import { faultsOf, wordsOf } from "../../dashboard/DeskTesting.ts"
import { atProxy } from "../../dashboard/ProxyPagesTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const full = { action: "deny", host_suffix: null, network: null, first_port: null, last_port: null }

/** The API for the rules of a proxy. */
const rulesOf = (id: string, user: string) => {
  const url = `/v1/orders/${id}/destinations`
  return {
    read: request("GET", url, { user }),
    set: (rules: unknown) => request("PUT", url, { user, body: { rules } })
  }
}

layer(TestApp.layer(), { excludeTestServices: true })("The rules about the destinations of a proxy", (it) => {
  it.effect("are replaced and answered in canonical form, and stand in the history", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { account, id } = yield* atProxy()
      const user: string = account.token
      const { read, set } = rulesOf(id, user)
      assert.deepStrictEqual((yield* read).body, { order_id: id, rules: [] })
      const { body, status } = yield* set([
        { action: "deny", host_suffix: "*.Example.COM.", last_port: null },
        { action: "allow", network: "2001:DB8::1", first_port: 80, last_port: 90 },
        { action: "deny", first_port: 443 }
      ])
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        order_id: id,
        rules: [
          { ...full, host_suffix: "example.com" },
          { ...full, action: "allow", network: "2001:db8::1/128", first_port: 80, last_port: 90 },
          { ...full, first_port: 443, last_port: 443 }
        ]
      })
      assert.deepStrictEqual((yield* read).body, body)
      const { history } = (yield* request("GET", `/v1/orders/${id}/history`, { user })).body
      assert.deepInclude(history[0], { kind: "destinations", actor: "session" })
      assert.deepStrictEqual((yield* set([])).body.rules, [])
    })
  )

  it.effect("are refused when they are wrong, and bounded in number", () =>
    Effect.gen(function* () {
      const { account, id } = yield* atProxy()
      const { read, set } = rulesOf(id, account.token)
      const rule = { action: "deny", first_port: 1 }
      const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
        [{ action: "deny" }, /needs a host, a network or a port/],
        [{ action: "block", first_port: 1 }, /deny/],
        [{ action: "deny", host_suffix: "no host" }, /host name/],
        [{ action: "deny", host_suffix: "192.0.2.1" }, /host name/],
        [{ action: "deny", network: "example.com" }, /network/],
        [{ action: "deny", host_suffix: "a.test", network: "10.0.0.0/8" }, /not both/],
        [{ action: "deny", first_port: 9, last_port: 8 }, /below/],
        [{ action: "deny", network: "10.0.0.0/8", last_port: 8 }, /below/],
        [{ action: "deny", first_port: 65_536 }, /65535/]
      ]
      for (const [one, says] of wrong) {
        const { body, status } = yield* set([one])
        assert.strictEqual(status, 422, JSON.stringify(one))
        assert.match(JSON.stringify(body), says)
      }
      assert.strictEqual((yield* set(Array.from({ length: 51 }, () => rule))).status, 422)
      assert.strictEqual((yield* set(Array.from({ length: 50 }, () => rule))).status, 200)
      const stranger = rulesOf(id, (yield* newPerson).session)
      assert.strictEqual((yield* stranger.read).status, 403)
      assert.strictEqual((yield* stranger.set([])).status, 403)
      assert.lengthOf((yield* read).body.rules, 50)
    })
  )

  it.effect("stand on the page as lines, which say what is wrong with them", () =>
    Effect.gen(function* () {
      const { account, id, path, submit, visit } = yield* atProxy("Mobile")
      const action = "/destinations"
      const typed = "deny Example.com\r\n\r\nallow 198.51.100.0/24 80-90\r\n deny *  25 "
      const saved = yield* submit({ destinations: typed }, { action })
      assert.include(wordsOf(saved), "The rules are changed.")
      const lines = "deny example.com\nallow 198.51.100.0/24 80-90\ndeny * 25"
      assert.include((yield* visit(path)).text, lines)
      for (const [text, says] of [
        ["deny example.com\nforbid x", "Line 2 is not a rule: forbid x."],
        ["deny *", "Line 1 is not a rule: deny *."],
        ["deny a.test 0", "Line 1"],
        ["deny a.test 90-80", "Line 1"],
        ["deny a.test 80 90", "Line 1"],
        ["deny no_such:host", "Line 1"],
        ["deny * 1\n".repeat(51), "at most 50"]
      ] as const) {
        const refused = yield* submit({ destinations: text }, { action })
        assert.strictEqual(refused.status, 422)
        assert.include(faultsOf(refused)["destinations"], says)
      }
      const { rules } = (yield* rulesOf(id, account.token).read).body
      assert.lengthOf(rules, 3)
      yield* visit(path)
      yield* submit({ destinations: "" }, { action })
      assert.lengthOf((yield* rulesOf(id, account.token).read).body.rules, 0)
    })
  )

  it.effect("are no operation of providers that lack them", () =>
    Effect.gen(function* () {
      const { account, id, memory, path, visit } = yield* atProxy()
      const { read, set } = rulesOf(id, account.token)
      const { destinations } = memory.provider
      Reflect.deleteProperty(memory.provider, "destinations")
      assert.deepStrictEqual([(yield* read).status, (yield* set([])).status], [400, 400])
      assert.notInclude(wordsOf(yield* visit(path)), "One rule in a line")
      Reflect.set(memory.provider, "destinations", destinations)
      assert.include(wordsOf(yield* visit(path)), "One rule in a line")
    })
  )
})
