import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { folderWith } from "../brand/BrandTesting.ts"
import { run } from "../cli/CommandTesting.ts"
import { fetchPlain } from "../gateway/ProxyClient.ts"
import * as IpRoyalServer from "../provider/adapters/IpRoyalServer.ts"
import * as ProxySellerServer from "../provider/adapters/ProxySellerServer.ts"
import { marginSince } from "../support/MarginQuery.ts"
import * as RunningService from "../support/RunningService.ts"
import { eventOf, putPayment, sessionOf, webhookSecret } from "../wallet/gateways/StripeTesting.ts"
import * as StripeServer from "../wallet/gateways/VendorServer.ts"
import { clientOf } from "./JourneyClient.ts"

const { eventually } = RunningService

const shopFile = `
version: 1
pools:
  us-datacenter: { country: US, kind: datacenter, exits: [127.0.0.2, 127.0.0.3] }
  de-residential: { country: DE, kind: residential, exits: [127.0.0.4] }
  gb-mobile: { country: GB, kind: mobile, exits: [127.0.0.5, 127.0.0.6] }
articles:
  datacenter-us:
    pool: us-datacenter
    mode: static
    ip_version: IPv4
    name: Datacenter, United States
    periods:
      - { days: 30, months: 1, name: 1 month, usd: 3.00, cost: 0.40 }
  residential-de:
    pool: de-residential
    mode: static
    ip_version: IPv4
    name: ISP, Germany
    periods:
      - { days: 30, months: 1, name: 1 month, gb: 50, usd: 6.00, cost: 2.00 }
    traffic: { usd: 0.60, cost: 0.10 }
  mobile-gb:
    pool: gb-mobile
    mode: rotating
    ip_version: IPv4
    name: Mobile, United Kingdom
    periods:
      - { days: 7, name: 1 week, gb: 20, usd: 12.00, cost: 5.00 }
prices:
  - { vendor: iproyal, markup: 50% }
  - { vendor: proxy-seller, markup: 20%, floor: 4.00 }
  - { vendor: proxy-seller, country: US, markup: 25% }
  - { vendor: iproyal, kind: datacenter, country: US, name: "Fast datacenter, United States" }
`

/** Answers the address that a request comes from. */
const destination = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => response.end(request.socket.remoteAddress))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ),
  (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
)

/** Stripe's API. Answers the address of the server, and the signed call of Stripe when a customer pays on a page. */
const stripe = Effect.gen(function* () {
  const server = yield* StripeServer.make
  const amounts = new Map<string, number>()
  server.reply("POST /v1/checkout/sessions", ({ body }) => {
    const asked = new URLSearchParams(body)
    const intent = asked.get("client_reference_id") ?? ""
    amounts.set(intent, Number(asked.get("line_items[0][price_data][unit_amount]")))
    return [200, sessionOf(intent, { payment_status: "unpaid", status: "open" })]
  })
  const paid = (page: string) => {
    const [intent = "", amount_total = 0] = [...amounts].find(([intent]) => page.endsWith(`cs_${intent}`)) ?? []
    putPayment(server, `pi_${intent}`, { amount_received: amount_total, metadata: { payment_intent_id: intent } })
    const session = sessionOf(intent, { amount_total })
    const seconds = Math.floor(Date.now() / 1000)
    return { amount_total, call: eventOf("checkout.session.completed", session, seconds, webhookSecret) }
  }
  return { url: server.url, paid }
})

type Stripe = Effect.Success<typeof stripe>

/**
 * The settings of docs/going-live.md. Two things differ, because everything runs on one machine: the vendors and Stripe
 * have local addresses, and proxies leave from loopback addresses to a destination of this machine, which `DOCTOR_ALLOW`
 * accepts.
 */
const settings = Effect.fnUntraced(function* (stripe: Stripe) {
  const [iproyal, proxySeller] = [yield* IpRoyalServer.start(), yield* ProxySellerServer.start()]
  iproyal.control.hidden = 0
  const target = yield* destination
  const brand = '{"name": "Acme Proxies", "support_email": "help@acme-proxies.shop"}'
  return {
    target,
    env: {
      PUBLIC_URL: "https://acme-proxies.shop",
      TRUST_PROXY: "1",
      STRIPE_SECRET_KEY: "sk_live_of_the_tests",
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
      GATEWAY_HOST: "gate.acme-proxies.shop",
      PROVIDERS: "gateway,iproyal,proxy-seller",
      IPROYAL_API_TOKEN: "t0ken",
      IPROYAL_API_URL: iproyal.api_url,
      PROXY_SELLER_API_KEY: "k3y/with slash",
      PROXY_SELLER_API_URL: proxySeller.api_url,
      BRAND_DIR: yield* folderWith({ "brand.json": brand }),
      METRICS_TOKEN: "0123456789abcdef",
      GATEWAY_ALLOW: target,
      DOCTOR_ALLOW: "gateway.allow,gateway.exit_loopback",
      AUTH_RATE_LIMIT_FACTOR: "10"
    }
  }
})

/** Describes, plans and applies the shop, and lets `doctor` check it. */
const open = Effect.fnUntraced(function* (directory: string, env: Record<string, string>) {
  const file = path.join(directory, "shop.yaml")
  fs.writeFileSync(file, shopFile)
  const beside = { ...env, DATA_DIR: directory }
  // The first sync has listed both vendors, at their usual markup of 30 %.
  const before = yield* run(beside, "prices", "list")
  for (const price of ["30 Days: 3.51 USD", "1 month (30 days): 3.90 USD"]) assert.include(before.stdout, price)

  const planned = yield* run(beside, "shop", "plan", file)
  assert.strictEqual(planned.code, 0, planned.stderr)
  for (const line of [
    "+ 127.0.0.2 is sold by the pool us-datacenter",
    "+ gateway datacenter-us, Datacenter, United States\n    1 month (30 days): 3.00 USD (costs you 0.40 USD)",
    "→ Fast datacenter, United States\n",
    "    30 Days: 3.51 USD → 4.05 USD (costs you 2.70 USD)"
  ])
    assert.include(planned.stdout, line)
  const warnings = planned.stdout.split("\n").filter((line) => line.startsWith("?"))
  for (const warning of warnings) assert.match(warning, /loopback/)
  const applied = yield* run(beside, "shop", "apply", file)
  assert.strictEqual(applied.code, 0, applied.stderr)
  const [report = ""] = planned.stdout.split("\nOnly planned.")
  assert.include(applied.stdout, `${report}\nApplied `)

  const checked = yield* run(beside, "doctor")
  const failed = checked.stdout.split("\n").filter((line) => /^(blocker|error)\t/.test(line))
  // Mails go to files, where the customer of this test reads them.
  const expected = ["error\tmail.smtp", "error\tmail.from", "error\tsys.disk"]
  for (const line of failed)
    assert.isTrue(
      expected.some((start) => line.startsWith(start)),
      line
    )
  assert.include(checked.stdout, "error\tmail.smtp\t")
  assert.include(checked.stdout, "accepted\tgateway.allow\t")
})

/** The newest mail with a link to a page; answers the token of the link. */
const tokenOfMail = (directory: string) =>
  eventually(
    "the mail arrives",
    Effect.try(() => {
      const folder = path.join(directory, "mail")
      const mails = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), "utf8"))
      const [, token] = /token=([\w-]{43})/.exec(mails.join("\n")) ?? []
      if (token === undefined) throw new Error("no token")
      return token
    })
  )

/** Signs up, and verifies the email. */
const customer = Effect.fnUntraced(function* (url: string, directory: string) {
  const { body } = yield* Effect.promise(() =>
    clientOf(url)("POST", "/auth/register", { email: "customer@example.com", password: "correct horse" })
  )
  const call = clientOf(url, body.access_token)
  const token = yield* tokenOfMail(directory)
  const verified = yield* Effect.promise(() => call("POST", "/auth/email/verify", { token }))
  assert.strictEqual(verified.status, 204)
  return call
})

type Call = ReturnType<typeof clientOf>

/** Pays on Stripe's page: Stripe calls the service. Answers the amount in cents. */
const pay = (url: string, { paid }: Stripe, page: string) =>
  Effect.promise(async () => {
    const { amount_total, call } = paid(page)
    const { status } = await fetch(`${url}/v1/payments/callbacks/card_gateway`, {
      method: "POST",
      headers: { ...call.headers, "content-type": "application/json" },
      body: call.body
    })
    assert.strictEqual(status, 200)
    return amount_total
  })

/** Waits for the proxy of an order; answers its access. */
const provisioned = (call: Call, id: string) =>
  eventually(
    "the order is provisioned",
    Effect.tryPromise(async () => {
      const { body } = await call("GET", `/orders/${id}`)
      if (body.status !== "provisioned") throw new Error(body.status)
      return body.proxy_access[0]
    })
  )

const order = Effect.fnUntraced(function* (call: Call, offer: any, payment_method: string) {
  const { body, status } = yield* Effect.promise(() => call("POST", "/orders", { offer_id: offer.id, payment_method }))
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body[0]
})

/** Raises the prices of one vendor with the commands of docs/shop.md, as the plan tells. */
const raisePrices = Effect.fnUntraced(function* (directory: string, env: Record<string, string>) {
  const file = path.join(directory, "shop.yaml")
  fs.writeFileSync(file, shopFile.replace("markup: 50%", "markup: 60%"))
  const beside = { ...env, DATA_DIR: directory }
  const planned = yield* run(beside, "prices", "plan", file)
  assert.strictEqual(planned.code, 0, planned.stderr)
  assert.include(planned.stdout, "    30 Days: 4.05 USD → 4.32 USD (costs you 2.70 USD)\n")
  assert.include(planned.stdout, "    1 running order keeps what it paid for\n")
  assert.notInclude(planned.stdout, "proxy-seller")
  const [, id = ""] = /prices apply \S+ --plan (\w+)'\n$/.exec(planned.stdout) ?? []
  const other = yield* run(beside, "prices", "apply", file, "--plan", "0".repeat(id.length))
  assert.notStrictEqual(other.code, 0)
  const applied = yield* run(beside, "prices", "apply", file, "--plan", id)
  assert.strictEqual(applied.code, 0, applied.stderr)
})

/** Runs the query of docs/providers.md in the embedded database. */
const margin = Effect.fnUntraced(function* (directory: string) {
  const postgres = path.join(directory, "postgres")
  const password = Redacted.make(fs.readFileSync(path.join(postgres, "password"), "utf8").trim())
  const database = PgClient.layer({ host: path.join(postgres, "run"), username: "app", password, database: "postgres" })
  const rows = yield* Effect.provide(
    SqlClient.SqlClient.use((sql) => sql.unsafe(marginSince("2026-01-01"))),
    database
  )
  return [...rows].toSorted((one: any, other: any) => one.provider.localeCompare(other.provider))
})

layer(Layer.empty, { excludeTestServices: true })("An operator's own shop", (it) => {
  it.effect(
    "sells from three pools and of two vendors for money from Stripe, from an empty machine and by the docs alone",
    () =>
      Effect.gen(function* () {
        const payments = yield* stripe
        const { env, target } = yield* settings(payments)
        const service = yield* RunningService.makeWith({ env })
        yield* service.start
        const { directory, url } = service
        assert.include(service.output(), "The shop is empty: describe in shop.yaml what the gateway sells")
        yield* open(directory, env)

        const call = yield* customer(url, directory)
        const { body } = yield* Effect.promise(() => call("GET", "/catalog"))
        const offers: ReadonlyArray<any> = body.kinds.flatMap(({ offers }: any) => offers)
        const offerOf = (price: number, kind: string, country: string) =>
          offers.find(
            ({ country_code, options, ...offer }) =>
              offer.kind === kind &&
              country_code === country &&
              options.some((option: any) => option.period_days === 30 && option.price === price)
          ) ?? assert.fail(`no offer for ${price}: ${JSON.stringify(offers)}`)

        const own = yield* order(call, offerOf(3, "datacenter", "US"), "card_gateway")
        assert.strictEqual(own.status, "waiting_payment")
        assert.strictEqual(yield* pay(url, payments, own.payment_info.payment_url), 300)
        const proxy = yield* provisioned(call, own.id)
        const { host, password, port, username } = proxy
        assert.strictEqual(host, "gate.acme-proxies.shop")
        const seen = yield* eventually(
          "the gateway has heard of the proxy",
          Effect.tryPromise(() => fetchPlain({ port, login: { username, password } }, `http://${target}/`))
        )
        assert.include(["127.0.0.2", "127.0.0.3"], seen.body)

        const deposit = { amount: 50, currency: "USD", payment_method: "card_gateway" }
        const asked = yield* Effect.promise(() => call("POST", "/payments/deposits", deposit))
        assert.strictEqual(yield* pay(url, payments, asked.body.payment_url), 5000)
        const renamed = offerOf(4.05, "datacenter", "US")
        assert.strictEqual(renamed.name, "Fast datacenter, United States")
        const royal = yield* order(call, renamed, "wallet")
        const seller = yield* order(call, offerOf(4, "datacenter", "US"), "wallet")
        assert.deepStrictEqual([royal.total_usd, seller.total_usd], [4.05, 4])
        for (const { id } of [royal, seller]) assert.include((yield* provisioned(call, id)).host, "192.0.2.")
        const wallet = yield* Effect.promise(() => call("GET", "/wallet/balance?currency=USD"))
        assert.strictEqual(wallet.body.balance, 41.95)

        yield* raisePrices(directory, env)
        const bought = offerOf(4.05, "datacenter", "US")
        const present = Effect.map(
          Effect.promise(() => call("GET", "/catalog")),
          ({ body }) =>
            body.kinds
              .flatMap(({ offers }: any) => offers)
              .find(({ id }: any) => id === bought.id)
              .options.find(({ period_days }: any) => period_days === 30).price
        )
        // The service hears of the new prices a moment after their commit.
        const price = yield* Effect.repeat(present, {
          until: (price) => price !== 4.05,
          times: 100,
          schedule: Schedule.spaced("100 millis")
        })
        assert.strictEqual(price, 4.32)
        const kept = yield* Effect.promise(() => call("GET", `/orders/${royal.id}`))
        assert.strictEqual(kept.body.total_usd, 4.05)

        assert.deepStrictEqual(yield* margin(directory), [
          { provider: "gateway", sales: 1n, revenue_usd: "3.00", margin_usd: "2.60", without_cost: 0n },
          { provider: "iproyal", sales: 1n, revenue_usd: "4.05", margin_usd: "1.35", without_cost: 0n },
          { provider: "proxy-seller", sales: 1n, revenue_usd: "4.00", margin_usd: "1.00", without_cost: 0n }
        ])
      }),
    240_000
  )
})
