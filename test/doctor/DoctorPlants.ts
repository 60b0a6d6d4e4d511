import type { Severity } from "../../src/doctor/Check.ts"
import { endpoint, type Plant } from "./DoctorTesting.ts"
import { invoicePlants } from "./InvoicePlants.ts"

/** A misconfiguration, the one check that finds it, and a part of its text. */
type Row = readonly [id: string, severity: Severity, plant: Plant, told: string]

const telegram = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_WEBHOOK_SECRET: "secret" }
const noStripe = { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined }
const btcpay = { BTCPAY_STORE_ID: "store", BTCPAY_API_KEY: "key", BTCPAY_WEBHOOK_SECRET: "secret" }
const testKey = { STRIPE_SECRET_KEY: "sk_test_1" }

const gateway: ReadonlyArray<Row> = [
  ["gateway.host_public", "blocker", { settings: { GATEWAY_HOST: undefined } }, "GATEWAY_HOST is 127.0.0.1"],
  ["gateway.host_public", "blocker", { settings: { GATEWAY_HOST: "10.0.0.7" } }, "GATEWAY_HOST is 10.0.0.7"],
  ["gateway.host_public", "blocker", { settings: { GATEWAY_HOST: "fd00::1" } }, "GATEWAY_HOST is fd00::1"],
  ["gateway.host_public", "blocker", { settings: { GATEWAY_HOST: "gate.localhost" } }, "gate.localhost"],
  ["gateway.host_public", "blocker", { settings: { GATEWAY_HOST: "gateway" } }, "GATEWAY_HOST is gateway"],
  [
    "gateway.host_resolves",
    "warning",
    { settings: { GATEWAY_HOST: "gate.shop" }, machine: { hostsEntries: () => ["127.0.1.1"] } },
    "maps gate.shop (GATEWAY_HOST) to 127.0.1.1"
  ],
  [
    "gateway.exits",
    "blocker",
    { facts: { machine_goods: ["US datacenter", "US mobile"] } },
    "proxies of US datacenter, US mobile leave from"
  ],
  [
    "gateway.exits",
    "blocker",
    {
      facts: { machine_goods: ["DE mobile"], exits: ["45.0.0.2", "45.0.0.3"] },
      settings: { GATEWAY_HOST: "45.0.0.3" }
    },
    "The proxies of DE mobile leave from the machine's own address, which a pool sells too: 45.0.0.3."
  ],
  [
    "gateway.exits",
    "blocker",
    {
      facts: { machine_goods: ["US datacenter"], exits: ["45.0.0.2", "2606:4700::7"] },
      machine: { interfaces: () => ["127.0.0.1", "45.0.0.1", "45.0.0.2", "2606:4700::7"] },
      settings: { GATEWAY_HOST: "gate.shop.net", DOCTOR_ALLOW: "gateway.host_resolves" }
    },
    "which a pool sells too: 2606:4700::7."
  ],
  [
    "gateway.exit_version",
    "blocker",
    { facts: { machine_goods: ["DE mobile"], machine_versions: ["IPv4", "IPv6"] } },
    "this machine has no IPv6 address that leads to the internet"
  ],
  [
    "gateway.exit_private",
    "blocker",
    {
      facts: { exits: ["45.0.0.2", "10.0.0.2", "10.0.0.3", "fe80::2"] },
      machine: { interfaces: () => ["45.0.0.2", "10.0.0.2", "10.0.0.3", "fe80::2"] }
    },
    "shop: 10.0.0.2, 10.0.0.3 (a private address, so destinations see another address); fe80::2 (a link-local address"
  ],
  [
    "gateway.exit_loopback",
    "blocker",
    { facts: { exits: ["45.0.0.2", "127.0.0.9"] } },
    "The exit addresses 127.0.0.9 are loopback"
  ],
  ["shop.demo", "blocker", { facts: { is_demo: true } }, "the demo shop"],
  ["shop.empty", "warning", { facts: { offers_on_sale: 0 } }, "Nothing is on sale"],
  ["shop.address", "error", { facts: { articles_without_address: ["dc-us", "dc-de"] } }, "The pool of dc-us, dc-de"],
  ["shop.loss", "error", { facts: { losing_offers: ["iproyal 9:55"] } }, "iproyal 9:55"],
  [
    "gateway.exit_bound",
    "blocker",
    { machine: { interfaces: () => ["45.0.0.2"] } },
    "has the exit addresses 45.0.0.3, 45.0.0.4"
  ],
  [
    "gateway.exit_bound",
    "blocker",
    { machine: { interfaces: () => ["45.0.0.2", "45.0.0.4"], runsGateway: true }, facts: { gateways: [] } },
    "has the exit addresses 45.0.0.3"
  ],
  ["gateway.allow", "blocker", { settings: { GATEWAY_ALLOW: "10.0.0.5:5432,45.9.9.9:80" } }, "opens 10.0.0.5:5432 "],
  ["gateway.allow", "blocker", { settings: { GATEWAY_ALLOW: "45.0.0.1:22" } }, "opens 45.0.0.1:22 "],
  ["gateway.allow", "blocker", { settings: { GATEWAY_ALLOW: "[::1]:8080" } }, "opens [::1]:8080 "],
  [
    "gateway.ports",
    "warning",
    { facts: { sold_ports: Array.from({ length: 91 }, (_, at) => 20_000 + at) } },
    "9 of 100"
  ],
  ["gateway.ports", "error", { settings: { GATEWAY_PORTS: "20000-20001" } }, "All 2 ports of GATEWAY_PORTS are sold"],
  ["sys.files", "warning", { machine: { openFiles: () => 399 } }, "may open 399 files"]
]

const sellers: ReadonlyArray<Row> = [
  ["provider.settings", "error", { settings: { IPROYAL_API_TOKEN: undefined } }, "IPROYAL_API_TOKEN is missing"],
  ["provider.settings", "error", { settings: { GATEWAY_PORTS: "many" } }, "GATEWAY_PORTS must be a range"],
  ["vendor.key", "blocker", { vendor: { is_key_refused: true, offers: [] } }, "refuses the key of iproyal"],
  ["vendor.empty", "error", { vendor: { offers: [] } }, "iproyal lists nothing"],
  ["vendor.balance", "error", { balance: 49.5 }, "iproyal has 49.50 dollars"],
  [
    "vendor.balance",
    "error",
    { settings: { VENDOR_BALANCE_MIN_USD: "101" } },
    "VENDOR_BALANCE_MIN_USD is 101.00 dollars"
  ]
]

const ipVendors: ReadonlyArray<Row> = [
  [
    "ip.credits",
    "warning",
    { settings: { IPQUALITYSCORE_API_KEY: "s3cret" }, account: { success: true, credits: 5000, usage: 4501 } },
    "IPQualityScore has 499 of 5000 calls left"
  ],
  [
    "ip.credits",
    "warning",
    {
      settings: { IPQUALITYSCORE_API_KEY: "s3cret" },
      account: { success: false, message: "Invalid or unauthorized key" }
    },
    "IPQualityScore refuses the key (HTTP 200: Invalid or unauthorized key)"
  ]
]

const payments: ReadonlyArray<Row> = [
  ["pay.sandbox", "blocker", { settings: { SANDBOX: "true" } }, "payments by Stripe"],
  ["pay.sandbox", "warning", { settings: noStripe }, "The sandbox is on (the default"],
  ["pay.test_keys", "blocker", { settings: { ...testKey, ...telegram } }, "https://proxies.shop is public"],
  ["pay.test_keys", "warning", { settings: testKey }, "STRIPE_SECRET_KEY is a test key"],
  ["pay.https", "blocker", { settings: { PUBLIC_URL: "http://proxies.shop" } }, "so Stripe cannot report payments"],
  ["pay.https", "blocker", { settings: { PUBLIC_URL: undefined } }, "so Stripe cannot report payments"],
  ["pay.localhost", "error", { settings: { PUBLIC_URL: "https://localhost:8443" } }, "https://localhost:8443"],
  ["pay.localhost", "error", { settings: { PUBLIC_URL: "https://192.168.0.9" } }, "https://192.168.0.9"],
  ["pay.secrets", "error", { settings: { STRIPE_WEBHOOK_SECRET: undefined } }, "STRIPE_WEBHOOK_SECRET is missing"],
  ["pay.secrets", "error", { settings: { STRIPE_WEBHOOK_SECRET: "sk_live_1" } }, "is not a signing secret"],
  ["pay.secrets", "error", { settings: { STRIPE_SECRET_KEY: "pk_live_1" } }, "STRIPE_SECRET_KEY is not a secret key"],
  ["pay.secrets", "error", { settings: { NOWPAYMENTS_API_KEY: "key" } }, "NOWPAYMENTS_IPN_SECRET is missing"],
  ["pay.secrets", "error", { settings: { TELEGRAM_BOT_TOKEN: "1:a" } }, "TELEGRAM_WEBHOOK_SECRET is missing"],
  ["pay.secrets", "error", { settings: { BTCPAY_URL: "https://pay.shop" } }, "BTCPAY_WEBHOOK_SECRET"],
  [
    "pay.stripe_events",
    "error",
    { stripe: [{ ...endpoint, enabled_events: endpoint.enabled_events.filter((event) => !event.startsWith("pay")) }] },
    "does not receive payment_intent.succeeded, payment_intent.payment_failed;"
  ],
  ["pay.stripe_events", "error", { stripe: [{ ...endpoint, status: "disabled" }] }, "no enabled webhook endpoint"],
  ["pay.stripe_events", "error", { stripe: [{ ...endpoint, url: "https://other.shop" }] }, "proxies.shop/v1/payments"],
  ["pay.none", "error", { settings: { ...noStripe, SANDBOX: "false" } }, "No payment method is on"],
  ["pay.verified", "note", { settings: { VERIFIED_EMAIL_TO_BUY: "false" } }, "VERIFIED_EMAIL_TO_BUY is false"]
]

const surroundings: ReadonlyArray<Row> = [
  ["mail.smtp", "error", { settings: { SMTP_URL: undefined } }, "SMTP_URL is not set"],
  ["mail.login", "error", { mail: "Invalid login: 535 no" }, "does not let the service in (Invalid login: 535 no)"],
  ["mail.login", "error", { settings: { SMTP_URL: "mail.proxies.shop" } }, "SMTP_URL: must be an smtp://"],
  ["mail.from", "error", { settings: { MAIL_FROM: undefined } }, "Neither MAIL_FROM nor sender_email"],
  [
    "mail.from",
    "error",
    {
      settings: { MAIL_FROM: undefined },
      brand: {
        "brand.json":
          '{"name": "Acme", "support_email": "help@proxies.shop", "sender_email": "a@proxies.test", "company": "Acme Ltd", "address": "1 Road"}'
      }
    },
    "sender_email is a@proxies.test"
  ],
  ["mail.from", "error", { settings: { MAIL_FROM: "Shop <no-reply@example.com>" } }, "no-reply@example.com"],
  ["mail.from", "error", { settings: { MAIL_FROM: "root@localhost" } }, "root@localhost"],
  ["mail.from", "error", { settings: { MAIL_FROM: "Shop" } }, "MAIL_FROM is Shop"],
  ["brand.files", "error", { brand: { "brand.json": '{"name": ""}' } }, "BRAND_DIR: brand.json:1: name: "],
  ["brand.files", "error", { settings: { BRAND_DIR: "/dev/null/brand" } }, "BRAND_DIR: /dev/null/brand: "],
  [
    "brand.files",
    "warning",
    { brand: { "brand.json": '{"name": "Acme", "company": "Acme Ltd", "address": "1 Road"}' } },
    "brand.json has no support_email"
  ],
  ["brand.files", "warning", { settings: { BRAND_DIR: undefined } }, "BRAND_DIR is not set"],
  ["net.public_url", "blocker", { answer: new Response("<html>", { status: 404 }) }, "another program answers"],
  ["net.public_url", "blocker", { answer: Response.json({ status: "up" }) }, "HTTP 200"],
  ["net.public_url", "error", { answer: null }, "https://proxies.shop/health/live does not answer"],
  ["net.trust_proxy", "error", { settings: { TRUST_PROXY: undefined } }, "TRUST_PROXY is 0"],
  ["net.trust_proxy", "error", { settings: { TRUST_PROXY: "yes" } }, "TRUST_PROXY: Expected an integer"],
  ["net.redis", "error", { settings: { INSTANCE_NAME: "a" } }, "REDIS_URL"],
  ["net.outbound_allow", "error", { settings: { OUTBOUND_ALLOW: "10.0.0.5:80" } }, "10.0.0.5:80"],
  ["ops.metrics", "warning", { settings: { METRICS_TOKEN: undefined } }, "METRICS_TOKEN is not set"],
  ["ops.metrics", "warning", { settings: { METRICS_TOKEN: "0123456789abcde" } }, "fewer than 16 characters"],
  ["ops.samples", "error", { settings: { STRIPE_SECRET_KEY: "sk_live_..." } }, "example: STRIPE_SECRET_KEY;"],
  [
    "ops.samples",
    "error",
    { settings: { BTCPAY_URL: "https://btcpay.example.com", ...btcpay } },
    "example: BTCPAY_URL;"
  ],
  [
    "ops.samples",
    "error",
    { settings: { DATABASE_URL: "postgres://user:password@localhost/app", SMTP_URL: "smtps://mail.your-shop.com" } },
    "example: DATABASE_URL, SMTP_URL;"
  ]
]

const names: ReadonlyArray<Row> = [
  [
    "ops.names",
    "warning",
    { machine: { settingsInFile: () => ["GATEWAY_PORT", "STRIPE_KEY", "PORT"] } },
    "GATEWAY_PORT (did you mean GATEWAY_PORTS?), STRIPE_KEY; "
  ]
]

const database: ReadonlyArray<Row> = [
  ["db.usable", "error", { facts: null }, "there is no database"],
  ["db.embedded", "warning", { settings: { DATABASE_URL: undefined } }, "DATABASE_URL is not set"],
  ["db.role", "warning", { facts: { is_superuser: true } }, "superuser"],
  ["db.settings", "error", { facts: { unsafe_settings: ["fsync"] } }, "PostgreSQL has fsync off"],
  ["db.connections", "warning", { facts: { connections: 58 } }, "allows 58 connections"],
  ["db.connections", "warning", { settings: { DATABASE_POOL: "60" } }, "needs 139"],
  ["db.gateway_role", "warning", { settings: { GATEWAY_DATABASE_URL: undefined } }, "GATEWAY_DATABASE_URL is not set"],
  ["db.password", "warning", { facts: { password_valid_days: 13.9 } }, "valid for 13 more days"],
  ["db.password", "error", { facts: { password_valid_days: -1 } }, "valid for 0 more days"],
  ["db.backup", "warning", { settings: { BACKUP_PATH: undefined } }, "BACKUP_PATH is not set"],
  ["db.backup", "error", { machine: { newestFile: () => undefined } }, "There is no backup in /backups"],
  [
    "db.backup",
    "error",
    { machine: { newestFile: () => ({ path: "/backups/a.dump", bytes: 0, modifiedMillis: 0 }) } },
    "is empty: /backups/a.dump"
  ],
  [
    "db.backup",
    "error",
    { machine: { newestFile: () => ({ path: "/backups/a.dump", bytes: 1, modifiedMillis: -26 * 3_600_000 }) } },
    "26 hours old (/backups/a.dump)"
  ],
  [
    "db.backup",
    "error",
    {
      settings: { BACKUP_MAX_AGE_HOURS: "1" },
      machine: { newestFile: () => ({ path: "/backups/a.dump", bytes: 1, modifiedMillis: -3_600_000 }) }
    },
    "BACKUP_MAX_AGE_HOURS is 1"
  ],
  [
    "sys.clock_outside",
    "error",
    { answer: Response.json({ status: "ok" }, { headers: { date: "Thu, 01 Jan 1970 00:01:00 GMT" } }) },
    "differs by 60 seconds from the clocks of api.stripe.com, apid.iproyal.com"
  ],
  [
    "sys.clock_outside",
    "error",
    { answer: Response.json({ status: "ok" }, { headers: { date: "Wed, 31 Dec 1969 23:59:50 GMT" } }) },
    "differs by 9 seconds"
  ],
  [
    "sys.state",
    "blocker",
    {
      settings: { DATABASE_URL: undefined, DOCTOR_ALLOW: "db.embedded" },
      machine: { passingFileSystem: () => "in memory" }
    },
    "/var/lib/shop (DATA_DIR) is in memory"
  ],
  ["sys.clock", "error", { facts: { clock_off_seconds: 2.6 } }, "differ by 3 seconds"],
  ["sys.disk", "error", { machine: { disk: () => ({ freeBytes: 1e9, totalBytes: 5e9 }) } }, "Only 0.9 GiB"],
  ["sys.disk", "warning", { machine: { disk: () => ({ freeBytes: 9e9, totalBytes: 100e9 }) } }, "less than a tenth"],
  ["ops.jobs", "error", { facts: { overdue: [{ what: "mails", count: 3 }] } }, "mails: 3"]
]

const staff: ReadonlyArray<Row> = [
  ["staff.owner", "warning", { facts: { owners: 0 } }, "no owner"],
  ["staff.totp", "warning", { facts: { staff_without_totp: ["ada@proxies.shop"] } }, "ada@proxies.shop"]
]

/** Planted misconfigurations of a shop that is otherwise ready to sell. */
export const plants: ReadonlyArray<Row> = [
  ...gateway,
  ...sellers,
  ...ipVendors,
  ...payments,
  ...surroundings,
  ...names,
  ...staff,
  ...invoicePlants,
  ...database
]
