import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { addressOf } from "../../src/orders/ProxyAddress.ts"
import { pair } from "../gateway/LocalGateway.ts"

const run = promisify(execFile)

describe("The address of a proxy", () => {
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
