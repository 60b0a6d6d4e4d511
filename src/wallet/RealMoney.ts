import { Effect, Option, Redacted } from "effect"
import * as GatewaySettings from "./GatewaySettings.ts"

/** True for a key of Stripe's test mode (docs.stripe.com/keys). */
export const isTestKey = ({ secret_key }: GatewaySettings.StripeSettings) =>
  /^[rs]k_test_/.test(Redacted.value(secret_key))

const isTestServer = ({ url }: GatewaySettings.NowPaymentsSettings) =>
  new URL(url).hostname === "api-sandbox.nowpayments.io"

/** Names the configured payment gateways that take real money: all but those in a test mode that the settings show. */
export const gateways = Effect.map(GatewaySettings.load, ({ btcpay, nowPayments, stripe, telegram }) => [
  ...(Option.exists(stripe, (settings) => !isTestKey(settings)) ? ["Stripe"] : []),
  ...(Option.isSome(btcpay) ? ["BTCPay"] : []),
  ...(Option.exists(nowPayments, (settings) => !isTestServer(settings)) ? ["NOWPayments"] : []),
  ...(Option.isSome(telegram) ? ["Telegram"] : [])
])
