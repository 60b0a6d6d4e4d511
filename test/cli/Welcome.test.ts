import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Welcome from "../../src/cli/Welcome.ts"

const said = (
  takers: Record<string, string>,
  { isRealMoney = false, vendors = ["AbuseIPDB", "CrowdSec"] }: { isRealMoney?: boolean; vendors?: Array<string> } = {}
) =>
  Welcome.text({
    isDemo: !isRealMoney,
    isRealMoney,
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
    assert.include(text, "Providers: gateway, iproyal; the gateway sells the demo shop (docs/shop.md)\n")
    assert.include(text, "IP checks: AbuseIPDB, CrowdSec\n")
    assert.include(text, "Tools      https://proxies.test/mcp (Model Context Protocol)\n")
    assert.include(text, "no real money")
  })

  it("reports that address checks are off", () => {
    assert.include(said({ card_gateway: "Stripe" }, { vendors: [] }), "IP checks: off\n")
  })

  it("does not mention a sandbox that is off", () => {
    assert.notInclude(said({ card_gateway: "Stripe", crypto_gateway: "off", messenger_stars: "off" }), "no real money")
  })

  it("suggests another email than the README's walk uses", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const [, email = ""] = /^ME=.*"email": "([^"]+)"/m.exec(readme) ?? []
    assert.match(email, /@example\.com$/)
    assert.match(said({ card_gateway: "sandbox" }), /"email":"\w+@example\.com"/)
    assert.notInclude(said({ card_gateway: "sandbox" }), `"${email}"`)
  })

  it("suggests the checks instead of a trial when customers pay real money", () => {
    const text = said({ card_gateway: "Stripe" }, { isRealMoney: true })
    assert.include(text, "API        https://proxies.test/v1\n")
    assert.include(text, "npx -c 'node src/main.ts doctor --online'")
    assert.notMatch(text, /curl|example\.com/)
    assert.notInclude(said({ card_gateway: "sandbox" }), "doctor")
  })
})
