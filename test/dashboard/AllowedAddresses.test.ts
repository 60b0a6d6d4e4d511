import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, noticeOf } from "./DeskTesting.ts"
import { atProxy } from "./ProxyPagesTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("The allowed addresses of a proxy", (it) => {
  it.effect("reads addresses between lines, commas and spaces, and names what it cannot read with its line", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { path, row, submit, visit } = yield* atProxy()
      const typed = "192.0.2.7, 192.0.2.8 192.0.2.9\r\n\r\n2001:DB8:0::1;::ffff:198.51.100.4\t192.0.2.7"
      const saved = yield* submit({ whitelisted_ips: typed }, { action: "/whitelist" })
      assert.strictEqual(noticeOf(saved), "The allowed addresses are changed.")
      const allowed = ["192.0.2.7", "192.0.2.8", "192.0.2.9", "2001:db8::1", "198.51.100.4"]
      assert.deepStrictEqual((yield* row).whitelisted_ips, allowed)
      for (const [text, ...says] of [
        ["192.0.2.7\r\n\r\n192.0.2.300 example", "Line 3: “192.0.2.300” is not", "Line 3: “example” is not"],
        ["192.0.2.1, 192.0.2.0/24", "Line 1: “192.0.2.0/24” is a network."],
        ["a b c d e f g", "Line 1: “e” is not", "2 more are wrong."],
        ["192.0.2.1 ".repeat(101), "These are 101. Enter at most 100"]
      ] as const) {
        yield* visit(path)
        const refused = yield* submit({ whitelisted_ips: text }, { action: "/whitelist" })
        assert.strictEqual(refused.status, 422)
        for (const said of says) assert.include(faultsOf(refused)["whitelisted_ips"], said)
        assert.include(refused.text, `\n${text.replaceAll("\r\n", "\n")}</textarea>`)
      }
      assert.deepStrictEqual((yield* row).whitelisted_ips, allowed)
      yield* visit(path)
      const longest = Array.from({ length: 100 }, (_, n) => `2001:db8:1111:2222:3333:4444:5555:${1000 + n}`)
      yield* submit({ whitelisted_ips: longest.join("\r\n") }, { action: "/whitelist" })
      yield* visit(path)
      yield* submit({}, { action: "/whitelist" })
      assert.deepStrictEqual((yield* row).whitelisted_ips, longest, "the page shows all of them")
    })
  )
})
