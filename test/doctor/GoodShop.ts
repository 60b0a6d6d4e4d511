import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as EmbeddedPostgres from "../../src/platform/postgres/EmbeddedPostgres.ts"
import { socketUrl } from "../../src/platform/postgres/SocketUrl.ts"
import { folderWith } from "../brand/BrandTesting.ts"
import { prepared, query } from "../platform/postgres/PostgresTesting.ts"
import * as IpRoyalServer from "../provider/adapters/IpRoyalServer.ts"
import { start as startVendor } from "../provider/vendors/VendorServer.ts"
import { certificate } from "../support/SelfSigned.ts"
import * as SmtpServer from "../support/SmtpServer.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const localNames = new URL("../support/LocalNames.ts", import.meta.url).href

/** Three pools and what they sell, and the markup on the vendor's proxies. All of 127.0.0.0/8 is on this machine. */
const shopFile = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [127.0.0.2, 127.0.0.3] }
  de-isp: { country: DE, kind: residential, exits: [127.0.0.4] }
  gb-mobile: { country: GB, kind: mobile, exits: [127.0.0.5] }
articles:
  dc-us:
    { pool: us-dc, mode: static, ip_version: IPv4, name: "Datacenter, US", periods: [{ days: 30, months: 1, name: 1 month, usd: 2 }] }
  isp-de:
    { pool: de-isp, mode: static, ip_version: IPv4, name: "ISP, Germany", periods: [{ days: 30, months: 1, name: 1 month, usd: 3 }] }
  mobile-gb:
    { pool: gb-mobile, mode: rotating, ip_version: IPv4, name: "Mobile, UK", periods: [{ days: 7, name: 7 days, gb: 20, usd: 9 }] }
prices:
  - { vendor: iproyal, markup: 25% }
`

/** A PostgreSQL that survives a power cut, with roles that own what they need. */
const database = Effect.gen(function* () {
  const server = yield* EmbeddedPostgres.start({ directory: yield* prepared })
  for (const statement of ["CREATE ROLE shop LOGIN", "CREATE ROLE gateway LOGIN", "CREATE DATABASE shop OWNER shop"])
    yield* query(server, statement)
  const url = (role: string) => socketUrl({ ...server, database: "shop" }, role, "secret")
  return {
    run: (statement: string) => query(server, statement),
    env: { DATABASE_URL: url("shop"), GATEWAY_DATABASE_URL: url("gateway") }
  }
})

/** A reverse proxy with a certificate in front of the service. */
const reverseProxy = Effect.fnUntraced(function* (port: () => number) {
  const server = https.createServer(certificate, (request, response) => {
    const target = { port: port(), path: request.url, method: request.method, headers: request.headers }
    const passed = http.request(target, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on("error", () => response.writeHead(502).end("no service"))
    request.pipe(passed)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close())
  )
  return (server.address() as AddressInfo).port
})

const named = (url: string, name: string) => url.replace("127.0.0.1", name)

/** A shop that is ready to sell for real money, among local servers of its vendor, its payment gateway and its mail. */
export const make = Effect.gen(function* () {
  const { env: databaseEnv, run: runSql } = yield* database
  const iproyal = yield* IpRoyalServer.start()
  const clock = { date: undefined as string | undefined }
  const stripe = yield* startVendor(({ path }) => ({
    status: path.startsWith("/v1/webhook_endpoints") ? 200 : 401,
    headers: clock.date === undefined ? {} : { date: clock.date },
    body: {
      data: [
        {
          url: `https://proxies.shop:${httpsPort}/v1/payments/callbacks/card_gateway`,
          status: "enabled",
          enabled_events: ["*"]
        }
      ]
    }
  }))
  const smtp = yield* SmtpServer.start({ password: "letters" })
  const service = { port: 1 }
  const httpsPort = yield* reverseProxy(() => service.port)
  const directory = yield* folderWith({
    "shop.yaml": shopFile,
    "trusted.pem": certificate.cert,
    "backups/today.dump": "a backup",
    "brand/brand.json":
      '{"name": "Acme", "support_email": "help@proxies.shop", "sender_email": "mail@proxies.shop", "company": "Acme Ltd", "address": "1 Road"}'
  })
  const at = (name: string) => path.join(directory, name)
  const env = {
    ...databaseEnv,
    PATH: process.env["PATH"] ?? "",
    NODE_OPTIONS: `--import=${localNames}`,
    NODE_EXTRA_CA_CERTS: at("trusted.pem"),
    LOCAL_NAMES: "proxies.shop,localhost,api.stripe.shop,api.iproyal.shop",
    DATA_DIR: at("state"),
    PUBLIC_URL: `https://proxies.shop:${httpsPort}`,
    TRUST_PROXY: "1",
    PROVIDERS: "gateway,iproyal",
    IPROYAL_API_TOKEN: "t0ken",
    IPROYAL_API_URL: named(iproyal.api_url, "api.iproyal.shop"),
    GATEWAY_HOST: "45.0.0.1",
    GATEWAY_PORTS: "29900-29919",
    STRIPE_SECRET_KEY: "sk_live_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
    STRIPE_API_URL: named(stripe.url, "api.stripe.shop"),
    SMTP_URL: `smtp://shop:letters@127.0.0.1:${smtp.port}`,
    METRICS_TOKEN: "0123456789abcdef",
    BRAND_DIR: at("brand"),
    BACKUP_PATH: at("backups"),
    BLOCKLISTS: "none",
    DOCTOR_ALLOW: "gateway.exit_loopback"
  }

  /** Runs the program in a process of its own. */
  const command = (more: Record<string, string>, ...words: ReadonlyArray<string>) =>
    Effect.callback<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resume) => {
      execFile(process.execPath, [main, ...words], { env: { ...env, ...more } }, (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error?.code ?? 0, stdout, stderr }))
      )
    })

  return {
    command,
    env,
    service,
    runSql,
    shopFile: at("shop.yaml"),
    /** Makes the newest backup this many hours old. */
    ageBackup: (hours: number) => {
      const time = Date.now() / 1000 - hours * 3600
      fs.utimesSync(at("backups/today.dump"), time, time)
    },
    /** The clock of the payment gateway. */
    clock,
    vendor: iproyal.control
  }
})
