import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { fromAlpha3, fromName } from "../../../src/provider/vendors/CountryCode.ts"
import * as VendorTime from "../../../src/provider/vendors/VendorTime.ts"

describe("Vendor data", () => {
  for (const [text, iso] of [
    ["31.12.2026 10:20:30", "2026-12-31T10:20:30.000Z"],
    ["2026-12-31 10:20:30", "2026-12-31T10:20:30.000Z"],
    ["2026-09-01T14:15:26+02:00", "2026-09-01T12:15:26.000Z"],
    ["2026-09-01T14:15:26Z", "2026-09-01T14:15:26.000Z"],
    ["31.12.2026", "2026-12-31T23:59:59.000Z"],
    ["", undefined],
    ["soon", undefined],
    ["99.99.2026 10:00:00", undefined]
  ] as const)
    it(`with the time "${text}" means ${iso}`, () => {
      const time = VendorTime.parse(text)
      assert.strictEqual(time && DateTime.formatIso(time), iso)
    })

  it("with a country is read by alpha-3 code or English name", () => {
    assert.deepStrictEqual(["USA", "deu", "GBR", "XXX", ""].map(fromAlpha3), ["US", "DE", "GB", undefined, undefined])
    assert.deepStrictEqual(
      ["United States", "czech republic", "Türkiye", "Turkey", "South Korea", "Côte d’Ivoire", "Mixed"].map(fromName),
      ["US", "CZ", "TR", "TR", "KR", "CI", undefined]
    )
  })
})
