import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const text = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.6, 203.0.113.7] }
  de-dc: { country: DE, kind: datacenter, exits: [203.0.113.16] }
articles:
  dc-us: { pool: us-dc, mode: static, ip_version: IPv4, name: Datacenter US, periods: [{ days: 30, name: 1 month, usd: 2 }] }
  dc-de: { pool: de-dc, mode: static, ip_version: IPv4, name: Datacenter DE, periods: [{ days: 30, name: 1 month, usd: 2 }] }
`
const machines = text.replace("[203.0.113.6, 203.0.113.7]", "machine").replace("[203.0.113.16]", "machine")

/** The pool of German addresses sells from the machine's own address, which the pool of US addresses lists. */
const twice = text.replace("[203.0.113.16]", "machine")

const changeOf = (file: string) => ({
  ...Result.getOrThrow(read(file)),
  is_demo: false,
  isSelling: true,
  own: ["203.0.113.7"]
})
const plan = (change: ReturnType<typeof changeOf>) =>
  Effect.map(
    Shop.use((shop) => shop.plan(change)),
    ({ lines }) => lines
  )
const apply = (file: string) =>
  Effect.map(
    Shop.use((shop) => shop.apply(changeOf(file))),
    ({ lines }) => lines
  )

const listed = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ external_id: string }>`SELECT external_id FROM offer WHERE listed ORDER BY id`
)

layer(Layer.provideMerge(Shop.layer, TestDatabase.layer))("A shop file with false goods", (it) => {
  it.effect("is refused for real money; a plan warns of them", () =>
    Effect.gen(function* () {
      const looped = text.replace("203.0.113.7", "127.0.0.7").replace("203.0.113.16]", '203.0.113.16, "::1"]')
      const hidden = text
        .replace("203.0.113.7", "10.0.0.7")
        .replace("203.0.113.16]", '203.0.113.16, "fe80::7", "fd00::7"]')
      const reasons = [
        [
          twice,
          "3 pools.us-dc.exits.1: The proxies of DE datacenter leave from the machine's own address, which a pool sells too: 203.0.113.7."
        ],
        [
          hidden,
          "3 pools.us-dc.exits.1: 10.0.0.7 is a private address, so destinations see another address",
          "4 pools.de-dc.exits.1: fe80::7 is a link-local address, from which proxies cannot leave",
          "4 pools.de-dc.exits.2: fd00::7 is a private address, from which proxies cannot leave"
        ],
        [machines, "4 pools.de-dc.exits: The proxies of DE datacenter, US datacenter leave from the machine's own"],
        [looped, "3 pools.us-dc.exits.1: 127.0.0.7 is a loopback address", "4 pools.de-dc.exits.1: ::1 is a loopback"]
      ] as const
      for (const [file, ...expected] of reasons) {
        yield* apply(text)
        const before = yield* listed
        const change = { ...changeOf(file), takesRealMoney: true }
        const { faults } = yield* Effect.flip(Shop.use((shop) => shop.apply(change)))
        assert.lengthOf(faults, expected.length)
        const planned = (yield* plan(change)).filter((line) => line.startsWith("? "))
        for (const [index, start] of expected.entries()) {
          const { field, line, reason } = faults[index]!
          assert.isTrue(`${line} ${field}: ${reason}`.startsWith(start), reason)
          assert.strictEqual(planned[index], `? ${field} in line ${line}: ${reason}`)
        }
        assert.deepStrictEqual(yield* listed, before)

        const warned = yield* plan(changeOf(file))
        assert.lengthOf(
          warned.filter((line) => /^\? .*(leave from|loopback|private|link-local)(?!.*refuses)/.test(line)),
          expected.length
        )
        const accepted = new Set(["gateway.exits", "gateway.exit_loopback", "gateway.exit_private"])
        yield* Shop.use((shop) => shop.apply({ ...change, accepted }))
      }
      // An article that is not on sale is not sold falsely.
      const renewed = machines.replace("name: Datacenter DE,", "name: Datacenter DE, state: renew_only,")
      yield* Shop.use((shop) => shop.apply({ ...changeOf(renewed), takesRealMoney: true }))
      // The own address alone is one address of one pool.
      for (const file of [text, twice.replace("name: Datacenter DE,", "name: Datacenter DE, state: renew_only,")])
        yield* Shop.use((shop) => shop.apply({ ...changeOf(file), takesRealMoney: true }))
    })
  )

  it.effect("goes by the terms of the service that runs, not by those of the command", () =>
    Effect.gen(function* () {
      const shop = yield* Shop
      yield* shop.record({ isSelling: true, takesRealMoney: true })
      const { faults } = yield* Effect.flip(apply(machines))
      assert.match(faults[0]?.reason ?? "", /The service takes real money.*DOCTOR_ALLOW=gateway\.exits allows it/)
      yield* shop.record({ isSelling: false, takesRealMoney: false })
      yield* apply(text)
      const more = `${text}  dc-more: { pool: us-dc, mode: static, ip_version: IPv4, name: More, periods: [{ days: 30, name: 1 month, usd: 2 }] }\n`
      const before = yield* listed
      const notSold = yield* plan(changeOf(more))
      assert.match(notSold.join(), /^\? The service runs without its gateway \(PROVIDERS\)/)
      assert.deepStrictEqual(yield* apply(more), notSold)
      assert.deepStrictEqual(yield* listed, before)
      yield* shop.record({ isSelling: true, takesRealMoney: false })
      assert.match((yield* apply(more)).join(), /\+ gateway dc-more/)
      yield* apply(text)
    })
  )
})
