import { assert, describe, it } from "@effect/vitest"
import { login, pair, socks5 } from "../LocalGateway.ts"
import { connectVia, fetchPlain, socksVia } from "../ProxyClient.ts"

const wrong = { username: "customer", password: "wrong" }

describe("A proxy", () => {
  it("admits its username and password over every protocol", async () => {
    const { gateway, origin, url } = await pair()
    assert.strictEqual((await fetchPlain(gateway, `${url}/hello`)).status, 200)
    assert.strictEqual((await connectVia(gateway, `127.0.0.1:${origin.port}`)).status, 200)
    await gateway.serve({ protocol: "SOCKS5" })
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "Reply", code: 0 })
  })

  it("admits every login, each only with its own password", async () => {
    const logins = [login, { username: "second", password: "p:ss wörd" }, { username: "third", password: "3" }] as const
    const { gateway, origin, url } = await pair({ proxy: { logins } })
    for (const login of logins) assert.strictEqual((await fetchPlain({ ...gateway, login }, url)).status, 200)
    const crossed = { username: "second", password: "3" }
    assert.strictEqual((await fetchPlain({ ...gateway, login: crossed }, url)).status, 407)
    await gateway.serve({ protocol: "SOCKS5" })
    for (const login of logins) {
      const answer = await socksVia({ ...gateway, login }, "127.0.0.1", origin.port)
      assert.deepInclude(answer, { _tag: "Reply", code: 0 })
    }
  })

  it("answers a wrong or missing login with 407 and an explanation", async () => {
    const { gateway, origin, url } = await pair()
    for (const login of [{}, { login: wrong }, { login: { username: "nobody", password: "" } }]) {
      const via = { port: gateway.port, ...login }
      for (const answer of [await fetchPlain(via, url), await connectVia(via, `127.0.0.1:${origin.port}`)]) {
        assert.strictEqual(answer.status, 407)
        assert.match(answer.headers["proxy-authenticate"] ?? "", /^Basic realm=/)
        assert.match(String(answer.headers["x-proxy-error"]), /username and password/)
      }
    }
    await gateway.serve({ protocol: "SOCKS5" })
    assert.deepInclude(await socksVia({ port: gateway.port }, "127.0.0.1", origin.port), { _tag: "NoMethod" })
    assert.deepInclude(await socksVia({ ...gateway, login: wrong }, "127.0.0.1", origin.port), { _tag: "WrongLogin" })
  })

  it("admits whitelisted addresses without a password, and refuses others with one", async () => {
    const { gateway, origin, url } = await pair({ proxy: { whitelist: ["127.0.0.1"] } })
    const open = { port: gateway.port }
    assert.strictEqual((await fetchPlain(open, url)).status, 200)
    assert.strictEqual((await connectVia(open, `127.0.0.1:${origin.port}`)).status, 200)
    await gateway.serve({ whitelist: ["127.0.0.1"], protocol: "SOCKS5" })
    assert.deepInclude(await socksVia(open, "127.0.0.1", origin.port), { _tag: "Reply", code: 0 })

    await gateway.serve({ whitelist: ["8.8.8.8"] })
    const refused = await fetchPlain(gateway, url)
    assert.strictEqual(refused.status, 403)
    assert.match(String(refused.headers["x-proxy-error"]), /127\.0\.0\.1 is not in the whitelist/)
    await gateway.serve({ whitelist: ["8.8.8.8"], protocol: "SOCKS5" })
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "WrongLogin" })
  })

  it("speaks only the ordered protocol", async () => {
    const { gateway, origin, url } = await pair(socks5)
    const refused = await fetchPlain(gateway, url)
    assert.strictEqual(refused.status, 403)
    assert.match(String(refused.headers["x-proxy-error"]), /speaks SOCKS5/)
    await gateway.serve({ protocol: "HTTPS" })
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "Reply", code: 2 })
  })
})
