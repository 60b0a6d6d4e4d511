import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { bytesAtMost, read } from "../../src/shop/ReadShopFile.ts"

const faultsOf = (text: string) =>
  Result.match(read(text), {
    onSuccess: () => [],
    onFailure: (faults) => faults.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)
  })

const deep = "Groups and lists are nested too deep"
const large = "The file stands for more than 1000000 values"

/** Each line of a text is one column deeper than the one before. */
const stairs = (levels: number) =>
  Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("") + `${" ".repeat(levels)}b\n`

/** Lists with ten times the values of the one before. */
const multiplied = (lists: number) =>
  Array.from(
    { length: lists },
    (_, i) =>
      `l${i}: &l${i} [${Array(10)
        .fill(i === 0 ? "x" : `*l${i - 1}`)
        .join()}]\n`
  ).join("")

const pools = (count: number, exits: string) =>
  Array.from({ length: count }, (_, i) => `  p${i}: { country: US, kind: mobile, exits: ${exits} }\n`).join("")
const addresses = Array.from({ length: 5000 }, (_, i) => `203.0.${i >> 8}.${i & 255}`).join()

describe("A shop file that asks for much work is refused before it", () => {
  it.each([
    ["brackets", "[".repeat(bytesAtMost), `1 : ${deep}`],
    ["groups in brackets", `version: 1\npools: ${"{a: ".repeat(100_000)}`, `2 : ${deep}`],
    ["brackets that end", "[".repeat(200_000) + "]".repeat(200_000), `1 : ${deep}`],
    ["lists in one line", `# lists\n${"- ".repeat(bytesAtMost / 4)}`, `2 : ${deep}`],
    ["keys in one line", "? ".repeat(bytesAtMost / 4), `1 : ${deep}`],
    ["indented lines", stairs(2000), `33 : ${deep}`],
    ["a byte too many", `#${"x".repeat(bytesAtMost)}`, "1 : The file is larger than 4 MiB"],
    ["aliases that multiply", multiplied(9), `1 : ${large}`],
    ["an alias of the list around it", "version: 1\npools: &p { a: *p }\narticles: {}\n", `1 : ${large}`],
    [
      "a long list in many pools",
      `version: 1\npools:\n  a: { country: US, kind: mobile, exits: &all [${addresses}] }\n${pools(9_000, "*all")}articles: {}\n`,
      `1 : ${large}`
    ]
  ] as const)("for %s", (_, text, said) => {
    assert.deepStrictEqual(faultsOf(text), [said])
  })

  it("but not for brackets and dashes in texts, and for many levels one after another", () => {
    const described = `version: 1
pools: {}
articles: {}
prices:
${Array.from({ length: 500 }, (_, i) => `  - vendor: "[[[[[[[[ {{{{{{ ${i}"\n    article: |-\n      - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n      [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n    markup: 1%\n`).join("")}`
    assert.deepStrictEqual(faultsOf(described), [])
  })

  it("and finds the lines of a hundred thousand faults", () => {
    const wrong = Array.from({ length: 100_000 }, (_, i) => `wrong-${i}: 1\n`).join("")
    const faults = faultsOf(`version: 1\npools: {}\narticles: {}\n${wrong}`)
    assert.lengthOf(faults, 100_000)
    assert.strictEqual(
      faults.at(-1),
      "100003 wrong-99999: There is no such field here; the fields are version, pools, articles, prices, renewals"
    )
  })
})
