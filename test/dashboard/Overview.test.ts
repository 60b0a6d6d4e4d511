import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { Page } from "../support/Browser.ts"
import { fund } from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { signedIn, verifyEmail } from "./DeskTesting.ts"

/** The pages to which the first steps lead. */
const stepsOn = ({ text }: Page) => {
  const [, list = ""] = /<h2 id="first">.*?<ol[^>]*>(.*?)<\/ol>/s.exec(text) ?? []
  return Array.from(list.matchAll(/href="\/app\/([^"]*)"/g), ([, path = ""]) => path)
}

layer(TestApp.layer())("The overview", (it) => {
  it.effect("shows each first step until it is done, also after the first purchase", () =>
    Effect.gen(function* () {
      const { account, user_id, visit } = yield* signedIn
      const steps = Effect.map(visit(""), stepsOn)
      assert.deepStrictEqual(yield* steps, ["email", "wallet/top-up", "shop", "keys"])
      yield* verifyEmail(user_id)
      assert.deepStrictEqual(yield* steps, ["wallet/top-up", "shop", "keys"])
      yield* fund(user_id, 1_000_000n)
      assert.deepStrictEqual(yield* steps, ["shop", "keys"])
      const sql = yield* SqlClient.SqlClient
      yield* OrderRows.offer
      const order = OrderRows.paidOrder(randomUUID(), user_id, yield* DateTime.now)
      yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
      assert.deepStrictEqual(yield* steps, ["keys"])
      yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: "key" } })
      assert.notInclude((yield* visit("")).text, "Your first steps")
    })
  )

  it.effect("reminds of an API key for 14 days, because not everybody needs one", () =>
    Effect.gen(function* () {
      const { visit } = yield* signedIn
      yield* TestClock.adjust("14 days")
      assert.include(stepsOn(yield* visit("")), "keys")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(stepsOn(yield* visit("")), ["email", "wallet/top-up", "shop"])
    })
  )
})
