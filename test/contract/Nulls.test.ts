import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decode, faultsOf, type Input, jsonInputs, resolved, sampleOf } from "./RequestSchemas.ts"

/** `null` means something here: it removes the name. */
const meant = ["users.update name"]

const optionalOf = ({ name, shown }: Input): ReadonlyArray<string> => {
  const { properties = {}, required = [] } = resolved(shown)
  return Object.keys(properties).filter((field) => !required.includes(field) && !meant.includes(`${name} ${field}`))
}

const takesNull = (schema: any): boolean =>
  resolved(schema)["type"] === "null" || (resolved(schema)["anyOf"] ?? []).some(takesNull)

const nulls = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((field) => [field, null]))

const without = (value: object, fields: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)))

/** The decoded value, or else its faults. */
const readingOf = (input: Input, value: object) => Result.getOrElse(decode(input, value), () => faultsOf(input, value))

describe("null in an optional field of a request", () => {
  it.each(jsonInputs.map((input) => [input.name, input] as const))(
    "equals the absence of the field: %s",
    (_, input) => {
      const whole = { ...sampleOf(input.shown), ...input.example }
      assert.deepStrictEqual(faultsOf(input, whole), [])
      const fields = optionalOf(input)
      for (const chosen of [...fields.map((field) => [field]), fields]) {
        const rest = without(whole, chosen)
        assert.deepStrictEqual(readingOf(input, { ...rest, ...nulls(chosen) }), readingOf(input, rest), chosen.join())
      }
    }
  )

  it.each(jsonInputs.map((input) => [input.name, input] as const))("is in the published schema: %s", (_, input) => {
    for (const field of optionalOf(input)) assert.isTrue(takesNull(resolved(input.shown)["properties"][field]), field)
  })

  it("is tested in every body and every tool", () => {
    const found = jsonInputs.flatMap((input) => optionalOf(input).map((field) => `${input.name} ${field}`))
    for (const field of [
      "auth.register name",
      "orders.create isp",
      "webhooks.change url",
      "ipCheck.check idempotency_key"
    ])
      assert.include(found, field)
    for (const field of ["tool list_offers kind", "tool create_proxy_order confirm", "tool update_webhook url"])
      assert.include(found, field)
    assert.isAbove(found.length, 80)
  })
})
