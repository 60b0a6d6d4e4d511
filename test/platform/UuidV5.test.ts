import { assert, describe, it } from "@effect/vitest"
import * as UuidV5 from "../../src/platform/UuidV5.ts"

describe("A UUID of version 5", () => {
  it("is that of RFC 9562, appendix A.4", () => {
    const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert.strictEqual(UuidV5.make(dns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2")
  })

  it("differs for another name and for another namespace", () => {
    const [one, other] = ["0197a8a4-7b7e-4b0e-9a39-0d6f7d2f1c11", "0197a8a4-7b7e-4b0e-9a39-0d6f7d2f1c12"]
    const made = [UuidV5.make(one, "a"), UuidV5.make(one, "b"), UuidV5.make(other, "a")]
    assert.strictEqual(new Set(made).size, 3)
  })
})
