import { assert, describe, it } from "@effect/vitest"
import { faultsOf, type Input, inputs, resolved } from "./RequestSchemas.ts"

/** Two UTF-16 units, one character. */
const emoji = "\u{1f600}"

interface Bounded {
  readonly path: ReadonlyArray<string | number>
  readonly minimum: number
  readonly maximum: number
}

const members = (schema: any): ReadonlyArray<any> => ["anyOf", "oneOf", "allOf"].flatMap((key) => schema[key] ?? [])

/** Every bounded string of a schema. */
const boundedIn = (node: any, path: Bounded["path"] = []): ReadonlyArray<Bounded> => {
  const schema = resolved(node)
  const { maxLength: maximum = Infinity, minLength: minimum = 0 } = schema
  return [
    ...("minLength" in schema || "maxLength" in schema ? [{ path, minimum, maximum }] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => boundedIn(child, [...path, name])),
    ...(schema.items === undefined ? [] : boundedIn(schema.items, [...path, 0])),
    ...members(schema).flatMap((member) => boundedIn(member, path))
  ]
}

const at = ([key, ...path]: Bounded["path"], value: unknown): unknown =>
  key === undefined ? value : key === 0 ? [at(path, value)] : { [key]: at(path, value) }

/** True when the length of this many emoji is refused; other faults do not count. */
const isRefused = (input: Input, { path }: Bounded, length: number) =>
  faultsOf(input, at(path, emoji.repeat(length))).some(
    ({ loc, msg }) => loc.slice(1).join() === path.join() && /characters|code points|length/.test(msg)
  )

const strings = inputs.flatMap((input) => boundedIn(input.shown).map((bounded) => ({ input, bounded })))

const boundsOf = (name: string, field: string) => {
  const found = strings.find(({ bounded, input }) => input.name === name && bounded.path.join(".") === field)
  return [found?.bounded.minimum, found?.bounded.maximum]
}

describe("Every bounded text of a request", () => {
  it("is among the probed texts", () => {
    const names = strings.map(({ bounded, input }) => `${input.name} ${bounded.path.join(".")}`)
    for (const name of [
      "auth.register password",
      "orders.create city",
      "proxy-management.credentials passwords.0.login"
    ])
      assert.include(names, name)
    for (const name of ["catalog.listOffers query city", "tool create_proxy_order idempotency_key"])
      assert.include(names, name)
    assert.isAbove(names.length, 40)
  })

  it("has the documented length, counted in characters", () => {
    for (const { bounded, input } of strings) {
      const { maximum, minimum, path } = bounded
      const taken = [minimum, Math.min(maximum, 5000)].map((length) => [length, false])
      const refused = [minimum - 1, maximum + 1].filter((length) => length >= 0 && length < 5000)
      for (const [length, expected] of [...taken, ...refused.map((length) => [length, true])] as Array<
        [number, boolean]
      >)
        assert.strictEqual(
          isRefused(input, bounded, length),
          expected,
          `${input.name} ${path.join(".")} of ${length} (${minimum} to ${maximum})`
        )
    }
  })

  it("has a documented minimum that holds", () => {
    assert.deepStrictEqual(boundsOf("auth.register", "password"), [8, 128])
    assert.deepStrictEqual(boundsOf("auth.resetPassword", "new_password"), [8, 128])
    assert.deepStrictEqual(boundsOf("session.changePassword", "new_password"), [8, 128])
    assert.deepStrictEqual(boundsOf("proxy-management.credentials", "passwords.0.password"), [8, 128])
    assert.deepStrictEqual(boundsOf("tool set_proxy_credentials", "passwords.0.password"), [8, 128])
    assert.deepStrictEqual(boundsOf("orders.create", "country"), [2, 2])
    assert.deepStrictEqual(boundsOf("tool quote_proxy_order", "country"), [2, 2])
  })
})
