import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { choose, names } from "../../src/brand/LanguageCode.ts"

describe("the language of a page", () => {
  it.each([
    ["de", "de"],
    ["de-CH", "de"],
    ["DE-de, en;q=0.5", "de"],
    ["en, de", "en"],
    ["fr, de", "de"],
    ["fr;q=1, en;q=0.8, de;q=0.9", "de"],
    ["de;q=0.8, en;q=0.9", "en"],
    ["de;q=0, en;q=0.1", "en"],
    ["de; q=0", "en"],
    ["de ; q=0.5 , en ;q=0.4", "de"],
    ["fr, it", "en"],
    ["*", "en"],
    ["", "en"],
    [undefined, "en"],
    ["de;q=much, en", "en"],
    ["de;q=much", "en"],
    ["-de", "en"],
    [";;;,,,q=1", "en"],
    ["constructor, toString", "en"],
    [`${"fr,".repeat(20)}de`, "en"],
    ["x".repeat(100_000), "en"]
  ] as const)("follows the browser: %j is %s", (accepted, language) => {
    assert.strictEqual(choose(undefined, accepted), language)
  })

  it.each([
    ["de", "en", "de"],
    ["en", "de", "en"],
    ["fr", "de", "de"],
    ["", "de", "de"],
    ["toString", undefined, "en"],
    ["de ", undefined, "en"]
  ] as const)("follows the cookie %j before the browser's %j", (chosen, accepted, language) => {
    assert.strictEqual(choose(chosen, accepted), language)
  })

  it.prop("is always one that exists", [Schema.String, Schema.String], ([chosen, accepted]) => {
    assert.include(Object.keys(names), choose(chosen, accepted))
  })
})
