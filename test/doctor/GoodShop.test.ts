import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RunningService from "../support/RunningService.ts"
import * as GoodShop from "./GoodShop.ts"

interface Found {
  readonly id: string
  readonly severity: string
  readonly state: string
  readonly text: string
}

/**
 * The findings of `doctor --online`. The disk of the machine that runs the tests may be almost full, and its only exit
 * addresses are loopback addresses.
 */
const findings = Effect.fnUntraced(function* (
  { command }: Effect.Success<typeof GoodShop.make>,
  env: Record<string, string> = {}
) {
  const { code, stderr, stdout } = yield* command(env, "doctor", "--online", "--json")
  const lines = stdout.trim() === "" ? [] : stdout.trim().split("\n")
  const all = lines.map((line): Found => JSON.parse(line))
  return { code, stderr, found: all.filter(({ id }) => id !== "sys.disk" && id !== "gateway.exit_loopback") }
})

it.live("A real service that is ready to sell has no findings, and the same service with faults has each of them", () =>
  Effect.gen(function* () {
    const shop = yield* GoodShop.make
    assert.include((yield* shop.command({}, "migrate")).stdout, "all migrations")
    const applied = yield* shop.command({}, "shop", "apply", shop.shopFile)
    assert.strictEqual(applied.code, 0, applied.stderr)
    const added = yield* shop.command({}, "staff", "add", "--email", "owner@proxies.shop", "--role", "owner")
    assert.strictEqual(added.code, 0, added.stderr)
    const service = yield* RunningService.makeWith({ env: shop.env })
    shop.service.port = Number(new URL(service.url).port)
    // Real money is on, so the start itself runs the blockers.
    yield* service.start

    const good = yield* findings(shop)
    assert.deepStrictEqual(good.found, [], good.stderr)
    assert.match(good.stderr, /^checks: \d+, blockers: 0, errors: 0/)

    shop.vendor.balance = 3
    shop.ageBackup(30)
    shop.clock.date = new Date(Date.now() - 60_000).toUTCString()
    shop.service.port = 1
    yield* shop.runSql("ALTER ROLE shop VALID UNTIL 'tomorrow'")
    yield* shop.runSql("ALTER DATABASE shop SET synchronous_commit = off")
    const { SMTP_URL } = shop.env
    const wrong = yield* findings(shop, {
      SMTP_URL: SMTP_URL.replace("letters", "numbers"),
      // Its answers come from this machine, so they tell nothing about its clock.
      IPROYAL_API_URL: shop.env.IPROYAL_API_URL.replace("api.iproyal.shop", "127.0.0.1"),
      GATEWAY_HOST: "10.0.0.7",
      METRICS_TOKEN: "short",
      OUTBOUND_ALLOW: "10.0.0.5:80"
    })
    assert.strictEqual(wrong.code, 2)
    assert.deepStrictEqual(
      wrong.found.map(({ id, severity, state }) => [id, severity, state]),
      [
        ["gateway.host_public", "blocker", "failed"],
        ["vendor.balance", "error", "failed"],
        ["mail.login", "error", "failed"],
        ["net.public_url", "blocker", "failed"],
        ["net.outbound_allow", "error", "failed"],
        ["ops.metrics", "warning", "failed"],
        ["db.settings", "error", "failed"],
        ["db.password", "warning", "failed"],
        ["db.backup", "error", "failed"],
        ["sys.clock_outside", "error", "failed"]
      ]
    )
    const text = wrong.found.map((finding) => finding.text).join("\n")
    for (const told of [
      "iproyal has 3.00 dollars",
      "535 wrong password",
      "HTTP 502",
      "30 hours old",
      "the clocks of api.stripe.shop"
    ])
      assert.include(text, told)
    assert.notInclude(text, "numbers")
  }).pipe(Effect.scoped)
)
