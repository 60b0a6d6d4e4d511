import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { DatabaseFacts, type Facts } from "../../src/doctor/DatabaseFacts.ts"
import { ListedOffers } from "../../src/doctor/ListedOffers.ts"
import { Machine } from "../../src/doctor/Machine.ts"
import { Online } from "../../src/doctor/NetworkChecks.ts"
import { NotKnown } from "../../src/doctor/NotKnown.ts"
import { SmtpLogin } from "../../src/doctor/MailChecks.ts"
import { VendorBalances } from "../../src/doctor/VendorBalances.ts"
import { MailNotSent } from "../../src/platform/mail/Mail.ts"
import * as StripeEvents from "../../src/wallet/gateways/StripeEvents.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { folderWith } from "../brand/BrandTesting.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"

/** What is wrong with a shop that is otherwise ready to sell. */
export interface Plant {
  /** Other settings; undefined takes one away. */
  readonly settings?: Record<string, string | undefined>
  readonly machine?: Partial<Machine>
  /** Null: the database cannot be used. */
  readonly facts?: Partial<Facts> | null
  /** Other answers of the vendor; null: it does not answer. */
  readonly vendor?: Partial<Effect.Success<ReturnType<ListedOffers["Service"]["of"]>>> | null
  /** Another balance at the vendor, in dollars, or the reason why it is not known. */
  readonly balance?: number | string
  /** Other files of the brand. */
  readonly brand?: Record<string, string>
  /** The reason why the mail server refuses the login. */
  readonly mail?: string
  /** The answer of an IP vendor about the account. */
  readonly account?: object
  /** The webhook endpoints that Stripe lists; null: it refuses the request. */
  readonly stripe?: ReadonlyArray<object> | null
  /** Another answer of `PUBLIC_URL`, and of the servers that tell the time; null: nobody answers. */
  readonly answer?: Response | null
}

const settings = {
  PUBLIC_URL: "https://proxies.shop",
  TRUST_PROXY: "1",
  DATABASE_URL: "postgres://app:secret@database/app",
  GATEWAY_DATABASE_URL: "postgres://gateway:secret@database/app",
  DATA_DIR: "/var/lib/shop",
  PROVIDERS: "gateway,iproyal",
  IPROYAL_API_TOKEN: "token",
  GATEWAY_HOST: "45.0.0.1",
  GATEWAY_PORTS: "20000-20099",
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
  SMTP_URL: "smtp://mail.proxies.shop",
  MAIL_FROM: "Shop <no-reply@proxies.shop>",
  METRICS_TOKEN: "0123456789abcdef",
  BACKUP_PATH: "/backups"
}

const brand = {
  "brand.json": '{"name": "Acme", "support_email": "help@proxies.shop", "company": "Acme Ltd", "address": "1 Road"}'
}

const machine: Machine = {
  name: "gate",
  interfaces: () => ["127.0.0.1", "45.0.0.1", "45.0.0.2", "45.0.0.3", "45.0.0.4"],
  openFiles: () => 400,
  disk: () => ({ freeBytes: 20e9, totalBytes: 100e9 }),
  passingFileSystem: () => undefined,
  newestFile: (place) => ({ path: `${place}/today.dump`, bytes: 1000, modifiedMillis: 0 }),
  hostsEntries: () => [],
  settingsInFile: () => ["PUBLIC_URL", "CROWDSEC_CALLS_PER_DAY", "NODE_OPTIONS"],
  runsGateway: undefined
}

const facts: Facts = {
  is_superuser: false,
  password_valid_days: null,
  unsafe_settings: [],
  connections: 100,
  sold_ports: [20_000, 20_001],
  gateways: ["gate 45.0.0.1"],
  clock_off_seconds: 0.2,
  overdue: [],
  exits: ["45.0.0.2", "45.0.0.3", "45.0.0.4"],
  is_demo: false,
  machine_goods: [],
  machine_versions: [],
  articles_without_address: [],
  losing_offers: [],
  offers_on_sale: 2,
  owners: 1,
  staff_without_totp: [],
  first_tax_days: {},
  first_unissued_day: null
}

const environmentOf = (changes: Plant["settings"]) =>
  Object.fromEntries(
    Object.entries({ ...settings, ...changes }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )

const offersOf = (vendor: Plant["vendor"]) =>
  Layer.mock(ListedOffers)({
    of: (name) => {
      if (name !== "gateway" && vendor === null) return Effect.fail(new NotKnown({ reason: `${name} is away` }))
      const own = { is_key_refused: false, offers: [datacenter, residential] }
      return Effect.succeed(name === "gateway" ? own : { ...own, ...vendor })
    }
  })

const balancesOf = (balance: number | string, vendor: Plant["vendor"]) => {
  const told = vendor === null ? "iproyal is away" : balance
  const said = typeof told === "number" ? BigInt(told * 1_000_000) : new NotKnown({ reason: told })
  return Layer.succeed(VendorBalances, { all: Effect.succeed([{ name: "iproyal", balance: said }]) })
}

const factsOf = (plant: Plant["facts"]) =>
  plant === null
    ? DatabaseFacts.layerUnknown("there is no database")
    : Layer.succeed(DatabaseFacts, { read: Effect.succeed({ ...facts, ...plant }) })

/** The time of the tests' clock. */
const date = { date: "Thu, 01 Jan 1970 00:00:00 GMT" }

/** Stripe's webhook endpoint for the shop, as it should be. */
export const endpoint = {
  url: "https://proxies.shop/v1/payments/callbacks/card_gateway",
  status: "enabled",
  enabled_events: StripeEvents.needed
}

const clientOf = ({ account = {}, answer = Response.json({ status: "ok" }, { headers: date }), stripe }: Plant) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) => {
      const said = request.url.includes("/account/")
        ? Response.json(account)
        : request.url.includes("/webhook_endpoints")
          ? Response.json({ data: stripe ?? [endpoint] }, { status: stripe === null ? 403 : 200 })
          : answer
      if (said !== null) return Effect.succeed(HttpClientResponse.fromWeb(request, said))
      const reason = new HttpClientError.TransportError({ request, cause: "refused" })
      return Effect.fail(new HttpClientError.HttpClientError({ reason }))
    })
  )

/** A shop that is ready to sell for real money, but for the plant. */
export const shop = (plant: Plant = {}) => {
  const { balance = 100, brand: files = brand, facts, machine: changes, mail, settings, vendor } = plant
  return Layer.mergeAll(
    Addresses.layer,
    clientOf(plant),
    factsOf(facts),
    offersOf(vendor),
    balancesOf(balance, vendor),
    Layer.succeed(Machine, { ...machine, ...changes }),
    Layer.succeed(Online, true),
    Layer.succeed(SmtpLogin, () =>
      mail === undefined ? Effect.void : Effect.fail(new MailNotSent({ reason: mail, permanent: true }))
    )
  ).pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(folderWith(files), (BRAND_DIR) =>
          ConfigProvider.layer(ConfigProvider.fromEnvRecord(environmentOf({ BRAND_DIR, ...settings })))
        )
      )
    )
  )
}
