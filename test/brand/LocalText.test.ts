import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { builtIn } from "../../src/brand/Brand.ts"
import { ofBrand } from "../../src/brand/Language.ts"
import { country, gigabytes, minute, money, say, sentences } from "../../src/brand/LocalText.ts"

const { de, en } = ofBrand(builtIn)
const at = DateTime.makeUnsafe("2026-02-01T10:00:00Z")

describe("texts in the language of their reader", () => {
  it.each([
    ["dollars", money("USD", 1_234_567_890n), "$1,234.56789", "1.234,56789\u00a0$"],
    ["a star", money("STAR", 1n), "1 star", "1 Stern"],
    ["stars", money("STAR", 1500n), "1,500 stars", "1.500 Sterne"],
    ["traffic", gigabytes(1.5), "1.5 GB", "1,5 GB"],
    ["little traffic", gigabytes(0.25), "250 MB", "250 MB"],
    ["a country", country("de"), "Germany", "Deutschland"],
    ["another text", country("?"), "?", "?"],
    ["a minute", minute(at), "1 Feb 2026, 10:00 UTC", "01.02.2026, 10:00 UTC"]
  ] as const)("write %s", (_, text, english, german) => {
    assert.deepStrictEqual([text(en), text(de)], [english, german])
  })

  it("fill their placeholders, with texts that may look like placeholders or patterns", () => {
    const text = say("notice.webhook_disabled", { host: "$& {{time}}" })
    assert.include(text(en), "endpoint at $& {{time}} has failed")
    assert.include(text(de), "Endpunkt bei $& {{time}} sind")
    const nested = say("notice.on", { time: minute(at) })
    assert.strictEqual(nested(de), "am 01.02.2026, 10:00 UTC")
    assert.strictEqual(sentences(nested, nested)(en), `${nested(en)} ${nested(en)}`)
  })
})
