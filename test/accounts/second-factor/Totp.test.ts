import { assert, describe, it } from "@effect/vitest"
import * as Base32 from "../../../src/accounts/second-factor/Base32.ts"
import * as Otp from "../../../src/accounts/second-factor/Otp.ts"
import * as RecoveryCodes from "../../../src/accounts/second-factor/RecoveryCodes.ts"
import * as Totp from "../../../src/accounts/second-factor/Totp.ts"

const utf8 = new TextEncoder()
const secret = Base32.encode(utf8.encode("12345678901234567890"))

/** RFC 6238, appendix B: seconds since 1970, and the code of eight digits with SHA-1. */
const vectors: ReadonlyArray<readonly [seconds: number, code: string]> = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"]
]

/** RFC 4226, appendix D: the codes of the counters 0 to 9. */
const counters = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ")

describe("Totp", () => {
  it("makes the codes of RFC 6238 and RFC 4226", () => {
    for (const [seconds, code] of vectors) {
      assert.strictEqual(Totp.codeOf(secret, Totp.stepOf(seconds * 1000), 8), code)
      assert.strictEqual(Totp.codeOf(secret, Totp.stepOf(seconds * 1000)), code.slice(2))
    }
    assert.deepStrictEqual(
      counters.map((_, step) => Totp.codeOf(secret, step)),
      counters
    )
  })

  it("accepts the code of this step, the one before and the one after, and none that is used up", () => {
    const now = 1_234_567_890_000
    const step = Totp.stepOf(now)
    for (const offset of [-3, -2, -1, 0, 1, 2, 3])
      assert.strictEqual(
        Totp.acceptedStep(secret, Totp.codeOf(secret, step + offset), now),
        Math.abs(offset) <= 1 ? step + offset : undefined,
        String(offset)
      )
    for (const used of [step, step + 1, step + 100])
      assert.isUndefined(Totp.acceptedStep(secret, Totp.codeOf(secret, step), now, used))
    assert.strictEqual(Totp.acceptedStep(secret, Totp.codeOf(secret, step), now, step - 1), step)
    assert.isUndefined(Totp.acceptedStep(secret, Totp.codeOf(secret, 0), 0), "no step before 1970")
  })

  it("makes secrets of 20 random bytes, and addresses that apps read", () => {
    const secrets = Array.from({ length: 100 }, Totp.makeSecret)
    for (const made of secrets) {
      assert.match(made, /^[A-Z2-7]{32}$/)
      assert.lengthOf(Base32.decode(made), 20)
    }
    assert.lengthOf(new Set(secrets), 100)
    const uri = new URL(Totp.uriOf(secret, "ada:&=?/@example.com", "Proxies: fast & small"))
    assert.strictEqual(decodeURIComponent(uri.pathname), "/Proxies  fast & small:ada &=?/@example.com")
    assert.strictEqual(uri.host, "totp")
    assert.deepStrictEqual(Object.fromEntries(uri.searchParams), {
      secret,
      issuer: "Proxies  fast & small",
      algorithm: "SHA1",
      digits: "6",
      period: "30"
    })
  })
})

describe("Base32", () => {
  it("writes the vectors of RFC 4648 without padding, and reads them back", () => {
    for (const [text, encoded] of [
      ["", ""],
      ["fooba", "MZXW6YTB"],
      ["12345678901234567890", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"]
    ] as const) {
      assert.strictEqual(Base32.encode(utf8.encode(text)), encoded)
      assert.deepStrictEqual(Base32.decode(encoded), utf8.encode(text))
    }
  })
})

describe("a code that a person sends", () => {
  it("is read with spaces, hyphens and capitals, and is of the app or a recovery code", () => {
    const [code] = RecoveryCodes.make()
    assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    const recovery = { kind: "recovery", code: code.replaceAll("-", "") }
    for (const typed of [code, code.toUpperCase(), ` ${code.replaceAll("-", " ")} `, recovery.code])
      assert.deepStrictEqual(Otp.parse(typed), recovery as never)
    for (const typed of ["012345", "012 345", " 0-1-2-3-4-5 "])
      assert.deepStrictEqual(Otp.parse(typed), { kind: "app", code: "012345" })
    for (const typed of ["", "12345", "1234567", "٠١٢٣٤٥", "abcdef", `${code}a`, code.slice(1), code.replace(/./, "1")])
      assert.isUndefined(Otp.parse(typed), typed)
    assert.lengthOf(new Set(RecoveryCodes.make()), 10)
    assert.strictEqual(RecoveryCodes.hashOf(code), RecoveryCodes.hashOf(recovery.code))
  })
})
