import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inflateSync } from "node:zlib"
import { english } from "../../../src/brand/Language.ts"
import type { Paper } from "../../../src/brand/Paper.ts"
import { paperPdf } from "../../../src/wallet/invoices/PaperPdf.ts"

const plain = (text: string) => () => text

const paper = (rows: number): Paper => ({
  title: plain("Invoice 2027-000042"),
  notes: [plain("No money was paid.")],
  facts: [[plain("Number"), plain("2027-000042")]],
  parties: [
    [plain("Seller"), ["Łódź sp. z o.o.", "Ελλάδα"]],
    [plain("Buyer"), ["Анна \u202eevil", "x".repeat(400)]]
  ],
  heads: ["Description", "Quantity", "Unit price", "Amount"].map(plain),
  rows: Array.from({ length: rows }, (_, n) => [`Proxy ${n}`, "1", "$1.00", "$1.00"].map(plain)),
  totals: [[plain("Total"), plain("$25.00")]],
  foot: [plain(`SHA-256: ${"0".repeat(64)}`)]
})

/** The Unicode characters that the fonts of a file show: their tables for copying. */
const charactersIn = (file: Uint8Array) => {
  const text = Buffer.from(file).toString("latin1")
  const found = new Set<string>()
  for (const [, stream = ""] of text.matchAll(/stream\r?\n([^]*?)\r?\nendstream/g)) {
    try {
      const content = inflateSync(Buffer.from(stream, "latin1")).toString("latin1")
      if (content.includes("beginbfrange"))
        for (const [code] of content.matchAll(/(?<=<)[0-9a-f]{4}(?=>)/g))
          found.add(String.fromCharCode(Number.parseInt(code, 16)))
    } catch {
      // Not a compressed stream.
    }
  }
  return found
}

it.effect.each(["株式会社", "李 小龙", "Ada 🦊"])("A document with %s has no PDF file", (name) =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(paperPdf({ ...paper(1), parties: [[plain("Seller"), [name]]] }, english))
    assert.strictEqual(refused._tag, "PaperHasOtherLetters")
  })
)

it.effect("A document as PDF has the letters of its words, and as many pages as it needs", () =>
  Effect.gen(function* () {
    const file = yield* paperPdf(paper(3), english)
    const text = Buffer.from(file).toString("latin1")
    assert.isTrue(text.startsWith("%PDF-"))
    assert.isTrue(text.trimEnd().endsWith("%%EOF"))
    assert.include(text, "/Count 1")
    const characters = charactersIn(file)
    for (const letter of "ŁódźΕλάδАн") assert.isTrue(characters.has(letter), letter)
    assert.isFalse(characters.has("\u202e"))
    assert.isBelow(file.length, 80_000)
    const long = Buffer.from(yield* paperPdf(paper(100), english)).toString("latin1")
    assert.include(long, "/Count 3")
  })
)
