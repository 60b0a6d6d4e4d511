import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { reprice } from "../support/Repricing.ts"
import { request } from "../support/TestServer.ts"
import * as TestApp from "../support/TestApp.ts"
import { escaped, faultsOf, hostile, noticeOf, placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { atProxy } from "./ProxyPagesTesting.ts"

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`).join("\n")

layer(TestApp.layer(), { excludeTestServices: true })("The page of a proxy", (it) => {
  it.effect("gives a new password, keeps the login and the address, and charges nothing", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, id, memory, path, row, submit } = yield* atProxy()
      const [before, money] = [yield* row, yield* balance]
      const changed = yield* submit({}, { action: "/password" })
      assert.strictEqual(placeOf(changed), `${path}?outcome=password`)
      assert.strictEqual(noticeOf(changed), "The proxy has a new password.")
      const after = yield* row
      assert.match(after.password, /^[0-9a-f]{32}$/)
      assert.deepStrictEqual(
        [after.username, after.host, after.port, memory.leases.get(id)?.logins],
        [before.username, before.host, before.port, [{ username: before.username, password: after.password }]]
      )
      assert.include(changed.text, after.password)
      assert.include(wordsOf(changed), "Logins changed you")
      // On a phone, words stand before the cells of the history. The change was free, so it has no amount.
      const [, newest = ""] = /<h2 id="history">.*?<\/tr>.*?(<tr.*?<\/tr>)/s.exec(changed.text) ?? []
      const labels = Array.from(newest.matchAll(/data-label="([^"]*)"/g), ([, label]) => label)
      assert.deepStrictEqual(labels, ["By", "When"])
      assert.match(changed.text, /data-label="Amount"\s*>\s*\$/)
      assert.strictEqual(yield* balance, money)
    })
  )

  it.effect("replaces the logins, and says what is wrong with others", () =>
    Effect.gen(function* () {
      const { id, memory, path, row, submit, visit } = yield* atProxy("Mobile")
      for (const logins of [
        null,
        "",
        "me",
        "me:short",
        ":12345678",
        "a b:12345678",
        "me:12345678\nme:12345678",
        Array.from({ length: 21 }, (_, index) => `me${index}:12345678`).join("\n"),
        `me:${"x".repeat(129)}`,
        "x".repeat(60_000),
        hostile
      ]) {
        yield* visit(path)
        const refused = yield* submit({ logins }, { action: "/logins" })
        assert.strictEqual(refused.status, 422, logins?.slice(0, 50))
        assert.deepStrictEqual(Object.keys(faultsOf(refused)), ["logins"])
        assert.notInclude(refused.text, "<script>alert")
        if (logins === hostile) assert.include(refused.text, escaped)
      }
      assert.notStrictEqual((yield* row).username, "me")
      const replaced = yield* submit({ logins: "me:pass: word 1\r\nyou:pass: word 2\r\n" }, { action: "/logins" })
      assert.strictEqual(noticeOf(replaced), "The logins are replaced.")
      assert.deepStrictEqual(memory.leases.get(id)?.logins, [
        { username: "me", password: "pass: word 1" },
        { username: "you", password: "pass: word 2" }
      ])
      assert.deepInclude(yield* row, { username: "me", password: "pass: word 1" })
    })
  )

  it.effect("allows at most 20 addresses for a mobile proxy and 100 for a static one", () =>
    Effect.gen(function* () {
      for (const [kind, action, most] of [
        ["Mobile", "/addresses", 20],
        ["Datacenter", "/whitelist", 100]
      ] as const) {
        const { path, row, submit, visit } = yield* atProxy(kind)
        const refused = yield* submit({ whitelisted_ips: addresses(most + 1) }, { action })
        assert.strictEqual(refused.status, 422)
        assert.include(faultsOf(refused)["whitelisted_ips"], `at most ${most}`)
        assert.include(refused.text, `192.0.2.${most}\n</textarea>`.replace("\n", ""))
        yield* visit(path)
        const saved = yield* submit({ whitelisted_ips: addresses(most) }, { action })
        assert.strictEqual(noticeOf(saved), "The allowed addresses are changed.")
        assert.lengthOf((yield* row).whitelisted_ips, most)
        yield* submit({ whitelisted_ips: "" }, { action })
        assert.lengthOf((yield* row).whitelisted_ips, 0)
      }
    })
  )

  it.effect("rotates the address of a mobile proxy once in five seconds, and shows it", () =>
    Effect.gen(function* () {
      const { id, memory, page, path, submit, visit } = yield* atProxy("Mobile")
      assert.include(wordsOf(page()!), "Exit address 198.51.100.1 ")
      const rotated = yield* submit({}, { action: "/rotate" })
      assert.strictEqual(noticeOf(rotated), "The exit address was 198.51.100.1 and is now 198.51.100.2.")
      assert.include(wordsOf(rotated), "Exit address 198.51.100.2 ")
      assert.include(wordsOf(rotated), "Exit address changed you")
      const again = yield* submit({}, { action: "/rotate" })
      assert.strictEqual(again.status, 429)
      assert.match(faultsOf(again)[""] ?? "", /too many requests in a short time\. Try again in [1-5] seconds?\./)
      assert.strictEqual(memory.leases.get(id)?.proxy.current_ip, "198.51.100.2")
      for (const [query, says] of [
        ["exit=198.51.100.2", "The exit address is still 198.51.100.2: no other address is free"],
        ["exit=", "The proxy was told to change its exit address."],
        [`exit=${encodeURIComponent(hostile)}`, "The proxy was told to change its exit address."]
      ] as const)
        assert.include(noticeOf(yield* visit(`${path}?outcome=rotated&${query}`)), says)
      const lease = memory.leases.get(id) ?? assert.fail(id)
      lease.proxy = { ...lease.proxy, signature: null }
      assert.include(wordsOf(yield* visit(path)), "not known at the moment android")
      const device = yield* submit({ signature: "ios" }, { action: "/signature" })
      assert.strictEqual(noticeOf(device), "The device is changed.")
      assert.notInclude(wordsOf(device), "not known at the moment android")
      assert.strictEqual(memory.leases.get(id)?.proxy.signature, "ios")
      const refused = yield* submit({ signature: hostile }, { action: "/signature" })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(Object.keys(faultsOf(refused)), ["signature"])
    })
  )

  it.effect("keeps notes and tags as they were typed, and escapes them", () =>
    Effect.gen(function* () {
      const { path, row, submit, visit } = yield* atProxy()
      const noted = yield* submit({ notes: `${hostile}\r\nsecond line ` }, { action: "/notes" })
      assert.strictEqual(noticeOf(noted), "The notes are saved.")
      assert.strictEqual((yield* row).notes, `${hostile}\nsecond line`)
      assert.include(noted.text, escaped)
      assert.notInclude(noted.text, "<script>alert")
      const tagged = yield* submit({ tags: `${hostile}\r\n\r\n a, b,, \r\nc` }, { action: "/tags" })
      assert.strictEqual(noticeOf(tagged), "The tags are saved.")
      assert.deepStrictEqual((yield* row).tags, [hostile, "a", "b", "c"])
      assert.notInclude(tagged.text, "<script>alert")
      for (const [action, fields] of [
        ["/notes", { notes: "ä".repeat(1001) }],
        ["/notes", { notes: ["a", "b"] }],
        ["/tags", { tags: "x".repeat(101) }],
        ["/tags", { tags: Array.from({ length: 51 }, (_, index) => index).join() }],
        ["/tags", { tags: Array.from({ length: 51 }, (_, index) => index).join("\n") }]
      ] as const) {
        yield* visit(path)
        assert.strictEqual((yield* submit(fields, { action })).status, 422)
      }
      assert.lengthOf((yield* row).tags, 4)
      yield* visit(path)
      yield* submit({ notes: "" }, { action: "/notes" })
      yield* submit({ tags: null }, { action: "/tags" })
      assert.deepInclude(yield* row, { notes: null, tags: [] })
    })
  )

  it.effect("ends a proxy for good when its name is typed, once", () =>
    Effect.gen(function* () {
      const { balance, id, memory, path, post, row, submit, visit } = yield* atProxy("Datacenter", {
        notes: "my  crawler"
      })
      const money = yield* balance
      const page = yield* visit(`${path}/release`)
      assert.include(wordsOf(page), "Paid time and traffic are lost and not refunded.")
      assert.include(wordsOf(page), "To confirm, type my crawler")
      for (const name of [null, "", "my", "My crawler", hostile, "x".repeat(2_000)]) {
        const refused = yield* submit({ name }, { action: "/release" })
        assert.strictEqual(refused.status, 422, name ?? "none")
        assert.deepStrictEqual(Object.keys(faultsOf(refused)), ["name"])
        assert.notInclude(refused.text, "<script>alert")
      }
      assert.strictEqual((yield* row).proxy_status, "active")
      yield* visit(`${path}/release`)
      const ended = yield* submit({ name: " my crawler " }, { action: "/release" })
      assert.strictEqual(noticeOf(ended), "The proxy has ended.")
      assert.include(wordsOf(ended), "Ended early you")
      assert.notInclude(ended.text, `${path}/release`)
      assert.isTrue(memory.leases.get(id)?.released)
      assert.deepInclude(yield* row, { status: "cancelled", proxy_status: "cancelled" })
      assert.strictEqual(placeOf(yield* visit(`${path}/release`)), path)
      assert.strictEqual(noticeOf(yield* post(`${path}/release`, { name: "my crawler" })), "The proxy has ended.")
      assert.strictEqual(memory.count("release", memory.leases.get(id)?.proxy.provider_proxy_id), 1)
      assert.strictEqual(yield* balance, money)
    })
  )

  it.effect("refuses forms without their token, and changes nothing", () =>
    Effect.gen(function* () {
      const { page, path, row, submit, visit } = yield* atProxy("Mobile")
      const before = yield* row
      const actions = page()!
        .forms.filter(({ action, method }) => method === "POST" && action.includes(path))
        .map(({ action }) => action.slice(action.indexOf(path) + path.length))
      assert.includeMembers(actions, ["/password", "/logins", "/rotate", "/signature", "/notes", "/tags", "/test"])
      for (const action of actions)
        for (const form_token of [null, "0".repeat(64)]) {
          yield* visit(path)
          assert.strictEqual((yield* submit({ form_token }, { action: `${path}${action}` })).status, 403, action)
        }
      yield* visit(`${path}/release`)
      assert.strictEqual((yield* submit({ form_token: null, name: "x" }, { action: "/release" })).status, 403)
      assert.deepStrictEqual(yield* row, before)
    })
  )

  it.effect("does not exist for other people", () =>
    Effect.gen(function* () {
      const { id, path, row } = yield* atProxy("Mobile")
      const before = yield* row
      const stranger = yield* signedIn
      for (const page of [path, `${path}/extend`, `${path}/traffic?bandwidth_gb=1`, `${path}/release`])
        assert.strictEqual((yield* stranger.visit(page)).status, 404, page)
      assert.strictEqual((yield* stranger.visit(`proxies/${randomUUID()}`)).status, 404)
      assert.strictEqual((yield* stranger.visit("proxies/nonsense")).status, 404)
      const fields = {
        logins: "me:12345678",
        notes: "x",
        tags: "x",
        signature: "ios",
        name: `${before.host}:${before.port}`,
        tarification_index: "0",
        bandwidth_gb: "1",
        expected_total: "2",
        expected_expires_at: new Date(0).toISOString(),
        expected_bandwidth_total_gb: "5",
        nonce: randomUUID()
      }
      for (const action of [
        "password",
        "logins",
        "addresses",
        "rotate",
        "signature",
        "notes",
        "tags",
        "release",
        "test",
        "extend",
        "traffic"
      ]) {
        const refused = yield* stranger.post(`${path}/${action}`, fields)
        assert.strictEqual(refused.status, 404, action)
        assert.notInclude(refused.text, before.password)
      }
      assert.deepStrictEqual(yield* row, before)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM order_event WHERE order_id = ${id}`, 0)
    })
  )

  it.effect("tests a proxy, and says why it does not work", () =>
    Effect.gen(function* () {
      const { id, memory, path, submit, visit } = yield* atProxy()
      const failed = yield* submit({}, { action: "/test" })
      assert.strictEqual(failed.status, 200)
      assert.include(wordsOf(failed), "It does not work The proxy does not accept a connection.")
      memory.setDown(true)
      yield* visit(path)
      assert.strictEqual((yield* submit({}, { action: "/test" })).status, 200)
      memory.setDown(false)
      for (let count = 2; count < 6; count++) yield* submit({}, { action: "/test" })
      const limited = yield* submit({}, { action: "/test" })
      assert.strictEqual(limited.status, 429)
      assert.match(faultsOf(limited)[""] ?? "", /too many requests in a short time\. Try again in \d+ seconds?\./)
      assert.isFalse(memory.leases.get(id)?.released)
    })
  )

  it.effect("names the API key that changed it", () =>
    Effect.gen(function* () {
      const { account, id, path, visit } = yield* atProxy()
      const user = account.token
      const { body: key } = yield* request("POST", "/v1/api-keys", { user, body: { name: hostile } })
      yield* request("PUT", `/v1/orders/${id}/protocol`, { key: key.key, body: { protocol: "SOCKS5" } })
      const page = yield* visit(path)
      assert.include(page.text, escaped)
      assert.notInclude(page.text, "<script>alert")
      assert.match(wordsOf(page), /Protocol changed API key .* Ready to use the service .*Bought you/)
      yield* request("DELETE", `/v1/api-keys/${key.id}`, { user })
      assert.include(wordsOf(yield* visit(path)), "Protocol changed a deleted API key")
    })
  )

  it.effect("says when the provider refuses or does not answer, and shows the page in German", () =>
    Effect.gen(function* () {
      const { browser, id, memory, path, submit } = yield* atProxy()
      const lease = memory.leases.get(id)!
      lease.released = true
      const refused = yield* submit({}, { action: "/password" })
      assert.deepStrictEqual(
        [refused.status, faultsOf(refused)],
        [
          409,
          {
            "": "The provider refused. Nothing was changed and nothing was charged. Try again later, or ask our support."
          }
        ]
      )
      lease.released = false
      memory.setDown(true)
      const down = yield* submit({}, { action: "/password" })
      memory.setDown(false)
      assert.strictEqual(down.status, 503)
      const german = yield* browser.open(`http://localhost:8080/app/${path}`, { headers: { "accept-language": "de" } })
      assert.include(wordsOf(german), "Neues Passwort")
    })
  )
})
