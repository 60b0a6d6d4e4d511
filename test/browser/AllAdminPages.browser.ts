import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { UserId } from "../../src/accounts/User.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { CustomerRestrictions } from "../../src/staff/customers/CustomerRestrictions.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { RuleDesk } from "../../src/staff/abuse/RuleDesk.ts"
import { Invites } from "../../src/staff/members/Invites.ts"
import { StaffAdjustments } from "../../src/staff/money/StaffAdjustments.ts"
import { AnnouncementDesk } from "../../src/staff/announcements/AnnouncementDesk.ts"
import { CustomerCare } from "../../src/staff/customers/CustomerCare.ts"
import { PromoCodeDesk } from "../../src/staff/promo-codes/PromoCodeDesk.ts"
import { PauseDesk } from "../../src/staff/providers/PauseDesk.ts"
import { CallCountsRepo } from "../../src/provider/CallCountsRepo.ts"
import { StaffRefunds } from "../../src/staff/money/StaffRefunds.ts"
import * as Actor from "../../src/staff/Actor.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { StaffTaxes } from "../../src/staff/documents/StaffTaxes.ts"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { actorOf, newSession, newStaff, newToken } from "../staff/StaffTesting.ts"
import { plants } from "../staff/todo/TodoTesting.ts"
import { changeOf, text as shopText } from "../shop/ShopTesting.ts"
import { adminPageAddresses } from "../support/AdminPageAddresses.ts"
import { backOfficeRoutes } from "../support/DashboardRoutes.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { asked } from "../wallet/payouts/PayoutTesting.ts"
import * as Chromium from "./Chromium.ts"
import { estate } from "./Estate.ts"
import { soldYear } from "./SoldYear.ts"

/** Chromium, which finds the tested server at its public address. */
const chromium = HttpServer.addressFormattedWith((address) =>
  Chromium.makeWith(`MAP ${new URL(http).host} 127.0.0.1:${new URL(address).port}`)
)

const counted = (provider: string) => ({
  provider,
  operation: "provision",
  calls: 3,
  refused: 1,
  failed: 1,
  durations: [1, 1, 1],
  failure: "the vendor answered 503 Service Unavailable"
})

const reasons = { reason_code: "outage", reason: "Down for a day" }

/** Everything that the back office can show: customers with orders, money by hand, requests, restrictions, staff. */
const office = Effect.gen(function* () {
  const { ids, user_id: user } = yield* estate
  const [user_id, other_id] = [UserId.make(user), yield* newUser]
  const staff_id = yield* newStaff("support")
  const [support, owner] = [actorOf(staff_id, "support"), yield* newStaff("owner")]
  yield* newToken(owner, ["me.read"])
  yield* Invites.use((invites) =>
    invites.create(Actor.cli("root"), { email: `${randomUUID()}@example.com`, name: "New", role: "viewer" })
  )
  const credit = (amount: string) =>
    StaffAdjustments.use((adjustments) =>
      adjustments.create(support, randomUUID(), { kind: "goodwill", currency: "USD", user_id, amount, ...reasons })
    )
  yield* credit("5")
  yield* credit("50")
  const order_id = OrderId.make(ids["order_id"] ?? "")
  const half = { kind: "amount", destination: "wallet", amount: "0.5", ends_service: false, ...reasons } as const
  yield* StaffRefunds.use((refunds) => refunds.create(support, randomUUID(), order_id, half))
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${other_id}`
  yield* fund(other_id, 100_000_000n)
  const { id: payout_id } = yield* Payouts.use((payouts) => payouts.request(asked(other_id)))
  const business = { name: "Ada SARL", is_business: true, country: "FR", tax_number: "FR40303265045", address: "1 Rue" }
  yield* Invoices.use((invoices) => invoices.setBillingDetails(other_id, business))
  const rate = { country: "FR", rate_bp: 2000, valid_from: "2000-01-01", note: "TVA" }
  yield* StaffTaxes.use((taxes) => taxes.recordRate(Actor.cli("root"), randomUUID(), rate, "The law"))
  const restriction_id = randomUUID()
  const hold = {
    preset: "hold",
    reason_code: "fraud",
    internal_reason: "Card testing",
    public_reason: "Ask us."
  } as const
  yield* CustomerRestrictions.use((restrictions) =>
    restrictions.place(support, restriction_id, user_id, { ...hold, until_at: null })
  )
  const [pause_id, provider] = [randomUUID(), yield* Effect.map(MemoryProvider, ({ provider }) => provider.name)]
  yield* PauseDesk.use((desk) =>
    desk.place(support, pause_id, { scope: "kind", scope_id: "mobile", reason: "The vendor has an outage", hours: 24 })
  )
  yield* CallCountsRepo.use(({ add }) =>
    Effect.flatMap(DateTime.now, (now) => add([counted(provider)], DateTime.startOf(now, "minute")))
  ).pipe(Effect.provide(CallCountsRepo.layer))
  yield* CustomerCare.use((care) => care.note(support, randomUUID(), user_id, "Called about a refund; is content"))
  const { answer: code } = yield* PromoCodeDesk.use((desk) =>
    desk.create(Actor.cli("root"), randomUUID(), { code: "SPRING-20", kind: "percent", value: "20", account_limit: 1 })
  )
  const now = yield* DateTime.now
  const { answer: announcement } = yield* AnnouncementDesk.use((desk) =>
    desk.publish(Actor.cli("root"), randomUUID(), {
      kind: "maintenance",
      title_en: "Maintenance on Sunday",
      body_en: "New orders wait for up to 10 minutes.\n\nProxies go on working.",
      audience: "all",
      by_banner: true,
      by_mail: true,
      starts_at: now,
      ends_at: DateTime.add(now, { hours: 2 })
    })
  )
  yield* soldYear
  const { answer: rule } = yield* RuleDesk.use((desk) =>
    desk.place(support, randomUUID(), {
      scope: "account",
      scope_id: user_id,
      action: "deny",
      first_port: 6660,
      last_port: 6669,
      network: null,
      host_suffix: "irc.example.com",
      until_at: null,
      reason: "Botnets"
    })
  )
  const rules = "prices:\n  - { vendor: gateway, kind: datacenter, markup: 25%, round: 0.05, floor: 1 }\n"
  yield* Effect.provide(
    Shop.use((shop) => shop.apply(changeOf(`${shopText}${rules}`))),
    Shop.layer
  )
  const { planted } = yield* plants
  const callback_id = planted.find(({ kind }) => kind === "callback")?.id ?? ""
  const [paid] = yield* sql<{ id: string }>`
    SELECT id FROM payment_intent WHERE user_id = ${user_id} ORDER BY status = 'paid' DESC, id LIMIT 1
  `
  const payment_id = paid?.id ?? ""
  const orphan_id = planted.find(({ kind }) => kind === "orphan")?.id ?? ""
  const session = yield* newSession(owner)
  const dispute_id = planted.find(({ kind }) => kind === "dispute")?.id ?? ""
  const more = { promo_code_id: code.id, announcement_id: announcement.id, rule_id: rule.id }
  const people = { ...ids, ...more, user_id, other_id, staff_id }
  const all = {
    ...people,
    payout_id,
    dispute_id,
    restriction_id,
    pause_id,
    provider,
    orphan_id,
    callback_id,
    payment_id
  }
  return { session, ids: all as Readonly<Record<string, string>> }
})

const primary = (page: Page) => page.locator("main button.primary").last().click()

layer(TestApp.layerSandbox, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect(
    "every page of the back office looks right",
    () =>
      Effect.gen(function* () {
        const routes = yield* backOfficeRoutes("GET")
        assert.deepStrictEqual(Object.keys(adminPageAddresses).toSorted(), routes, "the table of the pages")
        const { ids, session } = yield* office
        const { contextWith } = yield* chromium
        const [owner, german] = [yield* contextWith({}), yield* contextWith({ locale: "de-DE" })]
        const faults: Array<string> = []

        const look = async (page: Page, name: string) => {
          faults.push(...(await Chromium.look(page, name)))
          const bytes = Buffer.byteLength(await page.content())
          if (bytes > 100_000) faults.push(`${name}: ${bytes} bytes`)
        }
        const lookGerman = async (page: Page, name: string) =>
          void faults.push(...(await Chromium.widthFaults(page, `${name}-german`)))

        const visit = async (page: Page, look: (page: Page, name: string) => Promise<void>) => {
          for (const address of Object.values(adminPageAddresses).flat()) {
            const at = address.replace(/:([a-z_]+)/g, (_, id: string) => ids[id] ?? "")
            const answer = await page.goto(`${http}${at}`)
            assert.isTrue(answer?.ok(), `${address}: ${answer?.status()}`)
            await look(page, address.replace("/admin", "admin").replace(/[^a-z0-9_=-]+/g, "."))
          }
        }

        /** Opens the pages to which forms lead. */
        const behindForms = async (page: Page) => {
          const order = `${http}/admin/orders/${ids["order_id"]}`
          await page.goto(`${order}/refund`)
          await page.locator("[name=amount]").fill("nothing")
          await page.locator("[name=reason]").fill("Slow for a day")
          await primary(page)
          await page.locator("[aria-invalid=true]").waitFor()
          await look(page, "admin.refund-wrong")
          await page.locator("[name=amount]").fill("0,25")
          await primary(page)
          await page.getByRole("heading", { level: 1, name: "Refund this?" }).waitFor()
          await look(page, "admin.refund-review")
          await page.goto(`${http}/admin/customers/${ids["user_id"]}/restrict`)
          await page.locator("[value=ban]").check()
          await page.locator("[name=internal_reason]").fill("Card testing")
          await page.locator("[name=public_reason]").fill("Please contact support.")
          await primary(page)
          await page.getByRole("heading", { level: 1, name: "Restrict this customer?" }).waitFor()
          await look(page, "admin.restrict-review")
          await page.goto(`${http}/admin/pause?what=all`)
          await page.locator("[name=reason]").fill("The vendor has an outage")
          await primary(page)
          await page.getByRole("heading", { level: 1, name: "Stop this sale?" }).waitFor()
          await look(page, "admin.pause-review")
        }

        /** Opens the pages of a plan of the shop, and of an answer to a complaint. */
        const plans = async (page: Page) => {
          await page.goto(`${http}/admin/shop/articles/dc-de`)
          await page.locator("[name=periods]").fill("{ days: 30, name: 1 month, usd: 0 }")
          await page.locator("[name=reason]").fill("Prices of the autumn")
          await primary(page)
          await page.locator("[role=alert]").waitFor()
          await look(page, "admin.shop-wrong")
          await page.locator("[name=periods]").fill("{ days: 30, name: 1 month, usd: 2.5 }")
          await primary(page)
          await page.getByRole("heading", { level: 1, name: "Apply these changes?" }).waitFor()
          await look(page, "admin.shop-plan")
          await page.goto(`${http}/admin/abuse`)
          await page.locator("[name=exit_ip]").fill("203.0.113.6")
          await page.locator("[name=at]").fill("2026-01-31T12:00:00Z")
          await page.locator("[name=case_number]").fill("4711")
          await page.locator("[name=reason]").fill("A scan")
          await primary(page)
          await page.getByRole("heading", { level: 1, name: "203.0.113.6" }).waitFor()
          await look(page, "admin.abuse-answer")
        }

        yield* Effect.promise(async () => {
          const cookies = [{ name: "staff", value: session, url: http }]
          await owner.addCookies(cookies)
          await german.addCookies(cookies)
          const [page, germanPage] = [await owner.newPage(), await german.newPage()]
          await Promise.all([visit(page, look), visit(germanPage, lookGerman)])
          await behindForms(page)
          await plans(page)
        })
        assert.deepStrictEqual(faults, [])
      }),
    // Every page in every size takes minutes on a busy machine.
    900_000
  )
})
