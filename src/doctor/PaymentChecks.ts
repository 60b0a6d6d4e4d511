import { Config, Effect, Option, Redacted } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import * as AcceptedPayments from "../wallet/payments/AcceptedPayments.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed, failedWith } from "./Check.ts"
import { isPublicHost, isPublicUrl } from "./PublicPlace.ts"
import * as SandboxGuard from "./SandboxGuard.ts"

const sandbox: Check = {
  id: "pay.sandbox",
  severity: "blocker",
  run: Effect.map(SandboxGuard.danger, failedWith)
}

const testKeys: Check = {
  id: "pay.test_keys",
  severity: "blocker",
  run: Effect.gen(function* () {
    const { stripe } = yield* GatewaySettings.load
    const { base_url } = yield* Addresses
    return Option.exists(stripe, RealMoney.isTestKey) && isPublicUrl(base_url)
      ? failed(
          `STRIPE_SECRET_KEY is a test key, and ${new URL(base_url).origin} is public: anyone can buy with the number of a test card; set the live key`
        )
      : undefined
  })
}

const https: Check = {
  id: "pay.https",
  severity: "blocker",
  run: Effect.map(AcceptedPayments.unreported, failedWith)
}

const localhost: Check = {
  id: "pay.localhost",
  severity: "error",
  run: Effect.gen(function* () {
    const [taker] = yield* RealMoney.gateways
    const { hostname, origin, protocol } = new URL((yield* Addresses).base_url)
    return taker === undefined || protocol !== "https:" || isPublicHost(hostname)
      ? undefined
      : failed(
          `${taker} takes real money, but PUBLIC_URL is ${origin}, which customers cannot reach; set the public address`
        )
  })
}

/** Says which value of Stripe belongs in another place; undefined when each has its usual beginning. */
const misplaced = ({ secret_key, webhook_secret }: GatewaySettings.StripeSettings): string | undefined => {
  if (!/^(?:sk|rk)_/.test(Redacted.value(secret_key)))
    return "STRIPE_SECRET_KEY is not a secret key, so Stripe would refuse every payment; copy the secret key, which begins with sk_, or a restricted key, which begins with rk_ (docs/payments.md)"
  return Redacted.value(webhook_secret).startsWith("whsec_")
    ? undefined
    : "STRIPE_WEBHOOK_SECRET is not a signing secret, so the service would refuse every report of Stripe; copy the secret of the webhook endpoint, which begins with whsec_ (docs/payments.md)"
}

const secrets: Check = {
  id: "pay.secrets",
  severity: "error",
  run: Effect.match(GatewaySettings.load, {
    onFailure: (error) => failed(ExplainSetting.explain(error)),
    onSuccess: ({ stripe }) => failedWith(Option.getOrUndefined(Option.map(stripe, misplaced)))
  })
}

const none: Check = { id: "pay.none", severity: "error", run: Effect.map(AcceptedPayments.noMethod, failedWith) }

const verified: Check = {
  id: "pay.verified",
  severity: "note",
  run: Effect.gen(function* () {
    const setting = yield* Config.option(Config.Boolean("VERIFIED_EMAIL_TO_BUY"))
    return Option.exists(setting, (isRequired) => !isRequired) && (yield* RealMoney.gateways).length > 0
      ? failed("VERIFIED_EMAIL_TO_BUY is false: buyers may give an email that is not theirs, so no notice reaches them")
      : undefined
  })
}

export const checks: ReadonlyArray<Check> = [sandbox, testKeys, https, localhost, secrets, none, verified]
