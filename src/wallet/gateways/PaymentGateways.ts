import { Cause, Context, Effect, Layer, Option, Schedule } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import * as GatewaySettings from "../GatewaySettings.ts"
import * as BtcpayGreenfield from "./BtcpayGreenfield.ts"
import * as NowPayments from "./NowPayments.ts"
import * as SandboxGateway from "./SandboxGateway.ts"
import { SandboxGatewayRepo } from "../SandboxGatewayRepo.ts"
import * as StripeCheckout from "./StripeCheckout.ts"
import * as TelegramStars from "./TelegramStars.ts"
import type { PaymentGateway } from "./PaymentGateway.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import * as Sandbox from "../Sandbox.ts"

/** Indexes the gateways by method. The last gateway of a method wins. */
const byMethod = (gateways: ReadonlyArray<PaymentGateway>) => {
  const known = new Map(gateways.map((gateway) => [gateway.payment_method, gateway]))
  return { get: (method: PaymentMethod) => known.get(method) }
}

const registration = Schedule.exponential("1 second").pipe(Schedule.upTo({ times: 5 }))

/** Registers the webhook address with Telegram at each start. After a failure, Telegram keeps the earlier address. */
const telegram = Effect.fnUntraced(function* (settings: GatewaySettings.TelegramSettings, registers: boolean) {
  const { gateway, register, webhook_url } = yield* TelegramStars.make(settings)
  const registered = register().pipe(
    Effect.retry(registration),
    Effect.catch((error) =>
      Effect.logWarning(...Failure.logLine("Cannot register the webhook address with Telegram", Cause.fail(error)))
    )
  )
  if (registers && webhook_url.startsWith("https:")) yield* Effect.forkScoped(registered)
  return gateway
})

const configured = Effect.fnUntraced(function* (registers: boolean) {
  const { btcpay, nowPayments, stripe, telegram: stars } = yield* GatewaySettings.load
  const gateways = yield* Effect.all([
    Effect.forEach(Option.toArray(stripe), StripeCheckout.make),
    Effect.forEach(Option.toArray(btcpay), BtcpayGreenfield.make),
    Effect.forEach(Option.toArray(nowPayments), NowPayments.make),
    Effect.forEach(Option.toArray(stars), (settings) => telegram(settings, registers))
  ])
  return gateways.flat()
})

/** The gateways, at most one for each payment method: the configured ones, and the sandbox for the rest if it is on. */
export class PaymentGateways extends Context.Service<
  PaymentGateways,
  { readonly get: (method: PaymentMethod) => PaymentGateway | undefined }
>()("app/wallet/PaymentGateways") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sandbox = yield* SandboxGateway.make
      const pretended = (yield* Sandbox.enabled) ? PaymentMethod.literals.map(sandbox) : []
      return byMethod([...pretended, ...(yield* configured(true))])
    })
  ).pipe(Layer.provide(SandboxGatewayRepo.layer))

  /** The configured gateways without registration of webhook addresses, for commands that only ask them. */
  static readonly layerOutside = Layer.effect(this, Effect.map(configured(false), byMethod))
}
