import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LosslessJson from "../../../src/wallet/gateways/LosslessJson.ts"

const nested = (depth: number, inner = "") => "[".repeat(depth) + inner + "]".repeat(depth)

it.effect("Long and small numbers keep their source text", () =>
  Effect.gen(function* () {
    const text = '{"id": 12345678901234567890, "fee": {"b": 1.0, "a": 1e-7}, "list": [0.10, "0.10", null, true]}'
    assert.deepStrictEqual(yield* LosslessJson.parse(text), {
      id: "12345678901234567890",
      fee: { b: "1.0", a: "1e-7" },
      list: ["0.10", "0.10", null, true]
    })
  })
)

it.effect("The canonical form sorts the keys at every depth and changes nothing else", () =>
  Effect.gen(function* () {
    const text = '{ "b": [ {"z":1.50, "y":null}, [] ], "a": {"d": "é\\n/\\"", "c": 12345678901234567890}, "e": {} }'
    assert.strictEqual(
      yield* LosslessJson.canonical(text),
      '{"a":{"c":12345678901234567890,"d":"é\\n/\\""},"b":[{"y":null,"z":1.50},[]],"e":{}}'
    )
    assert.strictEqual(yield* LosslessJson.canonical('{"__proto__":{"b":1,"a":2}}'), '{"__proto__":{"a":2,"b":1}}')
  })
)

it.effect("Invalid JSON and too deeply nested JSON fail", () =>
  Effect.gen(function* () {
    for (const text of ["", "{", "{]", "nope", "[".repeat(65_536)]) {
      yield* Effect.flip(LosslessJson.parse(text))
      yield* Effect.flip(LosslessJson.canonical(text))
    }
    yield* Effect.flip(LosslessJson.canonical(nested(30_000)))
    yield* Effect.flip(LosslessJson.canonical(nested(21)))
    const text = nested(20, JSON.stringify(`${"[".repeat(100)}\\"${"[".repeat(100)}\\`))
    assert.strictEqual(yield* LosslessJson.canonical(text), text)
  })
)
