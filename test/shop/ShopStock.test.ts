import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { apply, catalog, close, open, services, sharing, text } from "./ShopTesting.ts"

layer(services)("The stock of the shop", (it) => {
  it.effect("sells the last one once: 40 want it, and the catalog shows it in the same transaction", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const { version } = yield* catalog
      const results = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.result(open("dc-de")), {
        concurrency: 40
      })
      const sold = results.filter(Result.isSuccess)
      assert.lengthOf(sold, 1)
      const after = yield* catalog
      assert.deepStrictEqual([after.version, after.offers[1]?.is_available], [version + 1, false])
      yield* close(sold[0]!.success)
    })
  )

  it.effect("never has more open proxies of an article than its limit", () =>
    Effect.gen(function* () {
      const limited = `${text}    limit: 1\n`.replace(
        "periods: [{ days: 30, name: 1 month, usd: 2 }] }",
        "limit: 1, periods: [{ days: 30, name: 1 month, usd: 2 }] }"
      )
      yield* apply(limited.replace("    limit: 1\n", "").replace("exits: [203.0.113.16]", "exits: machine"))
      const results = yield* Effect.forEach([1, 2, 3], () => Effect.result(open("dc-de")), { concurrency: 3 })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      assert.isFalse((yield* catalog).offers[1]?.is_available)
      const sql = yield* SqlClient.SqlClient
      const described = yield* sql`SELECT description FROM offer WHERE external_id = 'dc-de'`
      assert.deepStrictEqual(
        [...described],
        [
          {
            description:
              "The proxy has no address of its own. Traffic leaves from the address of the gateway's machine, over IPv4 where the destination supports it."
          }
        ]
      )
    })
  )

  it.effect("shows all articles of the same addresses as sold out when the last address is sold, and no others", () =>
    Effect.gen(function* () {
      const file = text.replace(
        "articles:\n",
        `  fr-dc: { country: FR, kind: datacenter, exits: [203.0.113.26, "2001:db8::26"] }
  nl-dc: { country: NL, kind: datacenter, exits: [203.0.113.36] }
articles:
${sharing("fr-one", "fr-dc", "IPv4")}${sharing("fr-two", "fr-dc", "IPv4")}${sharing("fr-six", "fr-dc", "IPv6")}${sharing("nl-one", "nl-dc", "IPv4")}`
      )
      yield* apply(file)
      yield* open("fr-one")
      const shown = (yield* catalog).offers.flatMap(({ external_id, is_available }) =>
        /^(fr|nl)-/.test(external_id) && is_available ? external_id : []
      )
      assert.deepStrictEqual(shown, ["fr-six", "nl-one"])
    })
  )
})
