import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as AllowedAddress from "../../accounts/AllowedAddress.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as Secrets from "../../platform/Secrets.ts"
import type { Actor } from "../Actor.ts"
import { ofRole } from "../Permissions.ts"
import { AdminAddresses } from "./AdminAddresses.ts"
import { StaffCredentialsRepo } from "./StaffCredentialsRepo.ts"

const shape = /^(pst|pss)_[\w-]{43}$/

interface Found {
  readonly actor: Actor["Service"]
  /** False for an address that the back office or the token does not allow. */
  readonly isAddressAllowed: boolean
}

/** Finds who acts by the secret of a session (`pss_`) or of a token (`pst_`). Both end with the rights of their staff member. */
export class StaffCredentials extends Context.Service<
  StaffCredentials,
  {
    readonly find: (secret: string) => Effect.Effect<Option.Option<Found>, never, HttpServerRequest.HttpServerRequest>
    /** True when the back office answers the address of the client. */
    readonly isAddressAllowed: Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>
  }
>()("app/staff/StaffCredentials") {
  static readonly layerNoDeps = Layer.effect(
    StaffCredentials,
    Effect.gen(function* () {
      const client = yield* ClientAddress
      const everywhere = yield* AdminAddresses
      const repo = yield* StaffCredentialsRepo

      const find = Effect.fn("StaffCredentials.find")(function* (secret: string) {
        const [, prefix] = shape.exec(secret) ?? []
        if (prefix === undefined) return Option.none()
        const kind = prefix === "pst" ? "token" : "staff"
        const read = kind === "token" ? repo.token : repo.session
        const credential = yield* read(Secrets.digest(secret), yield* DateTime.now)
        const address = yield* client.current
        return Option.map(credential, ({ allowed_ips, confirmed_at, id, name, permissions, role, staff_id }): Found => {
          const rights = ofRole(role).filter((permission) => permissions === null || permissions.includes(permission))
          const actor = { kind, id: kind === "token" ? id : staff_id, staff_id, name, role, address } as const
          const networks = [everywhere, allowed_ips].filter((allowed) => allowed !== null)
          return {
            actor: { ...actor, permissions: new Set(rights), confirmed_at },
            isAddressAllowed: networks.every((allowed) => AllowedAddress.includes(allowed, address))
          }
        })
      })

      const isAddressAllowed =
        everywhere === null
          ? Effect.succeed(true)
          : Effect.map(client.current, (address) => AllowedAddress.includes(everywhere, address))

      return StaffCredentials.of({ find, isAddressAllowed })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ClientAddress.layer, StaffCredentialsRepo.layer]))
}
