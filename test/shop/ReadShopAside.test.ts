import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { readAside, readEditedAside, writeAside } from "../../src/shop/ReadShopAside.ts"
import { read, readEdited } from "../../src/shop/ReadShopFile.ts"
import { ShopFile } from "../../src/shop/ShopFile.ts"
import { written } from "../../src/shop/WriteShopFile.ts"
import { text } from "./ShopTesting.ts"

const many = Array.from(
  { length: 1500 },
  (_, index) =>
    `  a-${index}: { pool: us-dc, mode: static, ip_version: IPv4, name: A, periods: [{ days: 30, name: 1 month, usd: 2 }] }\n`
).join("")

/** Counts the turns of the event loop that others get while an effect runs. */
const turnsDuring = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  let turns = 0
  const timer = setInterval(() => void (turns += 1), 5)
  const value = yield* Effect.ensuring(
    effect,
    Effect.sync(() => clearInterval(timer))
  )
  return { value, turns }
})

it.live("A long shop file is read beside other work, as a short one is", () =>
  Effect.gen(function* () {
    const whole = `${text}${many}`
    const { turns, value } = yield* turnsDuring(readAside(whole))
    assert.isAbove(turns, 5)
    const aside = Result.getOrThrow(value)
    const inline = Result.getOrThrow(read(whole))
    assert.deepStrictEqual(aside.shop, inline.shop)
    for (const path of [
      ["articles", "a-1499", "periods", 0, "usd"],
      ["articles", "dc-us", "periods", 1],
      ["renewals"],
      []
    ])
      assert.deepStrictEqual(aside.faultAt(path, "a reason"), inline.faultAt(path, "a reason"))
    const wrong = whole.replace("usd: 1.80", "usd: 0")
    const faults = yield* readAside(wrong)
    assert.deepStrictEqual(faults, read(wrong))
    assert.isTrue(Result.isFailure(faults))
    assert.deepStrictEqual(Result.getOrThrow(yield* readAside(text)).shop, Result.getOrThrow(read(text)).shop)
  })
)

it.live("A large shop is checked and written beside other work, as a small one is", () =>
  Effect.gen(function* () {
    const encode = Schema.encodeSync(ShopFile)
    for (const whole of [`${text}${many}`, text]) {
      const file = encode(Result.getOrThrow(read(whole)).shop)
      const checked = yield* turnsDuring(readEditedAside(file, file))
      assert.deepStrictEqual(Result.getOrThrow(checked.value).shop, Result.getOrThrow(readEdited(file)).shop)
      const wrong = { ...file, renewals: { announce_above: 7 } }
      assert.deepStrictEqual(yield* readEditedAside(file, wrong), readEdited(wrong))
      const text = yield* turnsDuring(writeAside(file))
      assert.strictEqual(text.value, written(file))
      if (whole.length > 10_000) for (const { turns } of [checked, text]) assert.isAbove(turns, 5)
    }
  })
)
