import { Context, Effect, Layer } from "effect"
import * as SandboxGateway from "./gateways/SandboxGateway.ts"
import { SandboxGatewayRepo } from "./gateways/SandboxGatewayRepo.ts"
import type { PaymentGateway } from "./PaymentGateway.ts"
import { PaymentMethod } from "./PaymentMethod.ts"
import * as Sandbox from "./Sandbox.ts"

const byMethod = (gateways: ReadonlyArray<PaymentGateway>) => {
  const known = new Map(gateways.map((gateway) => [gateway.payment_method, gateway]))
  return { get: (method: PaymentMethod) => known.get(method) }
}

/** The gateways that are on, at most one for each payment method. */
export class PaymentGateways extends Context.Service<
  PaymentGateways,
  { readonly get: (method: PaymentMethod) => PaymentGateway | undefined }
>()("app/wallet/PaymentGateways") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sandbox = yield* SandboxGateway.make
      return byMethod((yield* Sandbox.enabled) ? PaymentMethod.literals.map(sandbox) : [])
    })
  ).pipe(Layer.provide(SandboxGatewayRepo.layer))
}
