import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Welcome from "../../src/cli/Welcome.ts"

const said = (takers: Record<string, string>, vendors: ReadonlyArray<string> = ["AbuseIPDB", "CrowdSec"]) =>
  Welcome.text({
    name: "Acme Proxies",
    urls: {
      issuer: "https://proxies.test",
      mcp_url: "https://proxies.test/mcp",
      base_url: "https://proxies.test/v1",
      docs_url: "https://proxies.test/docs",
      app_url: "https://proxies.test/app"
    },
    takers,
    providers: ["gateway", "iproyal"],
    vendors
  })

describe("The welcome", () => {
  it("lists the accepted payments and the active providers", () => {
    const text = said({ card_gateway: "Stripe", crypto_gateway: "off", messenger_stars: "sandbox" })
    assert.match(text, /^Acme Proxies is ready\.$/m)
    assert.include(text, "Payments:  card_gateway Stripe, crypto_gateway off, messenger_stars sandbox\n")
    assert.include(text, "Providers: gateway, iproyal\n")
    assert.include(text, "IP checks: AbuseIPDB, CrowdSec\n")
    assert.include(text, "Tools      https://proxies.test/mcp (Model Context Protocol)\n")
    assert.include(text, "no real money")
  })

  it("reports that address checks are off", () => {
    assert.include(said({ card_gateway: "Stripe" }, []), "IP checks: off\n")
  })

  it("does not mention a sandbox that is off", () => {
    assert.notInclude(said({ card_gateway: "Stripe", crypto_gateway: "off", messenger_stars: "off" }), "no real money")
  })

  it("suggests another email than the README's walk uses", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const [, email = ""] = /^ME=.*"email": "([^"]+)"/m.exec(readme) ?? []
    assert.match(email, /@example\.com$/)
    assert.match(said({ card_gateway: "Stripe" }), /"email":"\w+@example\.com"/)
    assert.notInclude(said({ card_gateway: "Stripe" }), `"${email}"`)
  })
})
