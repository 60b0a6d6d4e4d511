import { Config, Effect, Option } from "effect"
import { type Check, failed } from "./Check.ts"
import { isSample } from "./IsSample.ts"

/** The settings that only the operator can know. `mail.from` looks at `MAIL_FROM`. */
const own = `
  PUBLIC_URL ISSUER_URL APP_URL MCP_URL DATABASE_URL GATEWAY_DATABASE_URL REDIS_URL SMTP_URL METRICS_TOKEN GATEWAY_HOST
  STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET BTCPAY_URL BTCPAY_STORE_ID BTCPAY_API_KEY BTCPAY_WEBHOOK_SECRET
  NOWPAYMENTS_API_KEY NOWPAYMENTS_IPN_SECRET TELEGRAM_BOT_TOKEN TELEGRAM_WEBHOOK_SECRET TELEGRAM_WEBHOOK_URL
  PROXY_SELLER_API_KEY IPROYAL_API_TOKEN ABUSEIPDB_API_KEY CROWDSEC_API_KEY GREYNOISE_API_KEY IPAPI_IS_API_KEY
  IPQUALITYSCORE_API_KEY PROXYCHECK_API_KEY SCAMALYTICS_USER SCAMALYTICS_API_KEY
`
  .trim()
  .split(/\s+/)

const samples: Check = {
  id: "ops.samples",
  severity: "error",
  run: Effect.gen(function* () {
    const found = yield* Effect.filter(own, (name) =>
      Effect.map(Config.option(Config.String(name)), Option.exists(isSample))
    )
    return found.length === 0
      ? undefined
      : failed(`These settings have the value of an example: ${found.join(", ")}; set your own`)
  })
}

export const checks: ReadonlyArray<Check> = [samples]
