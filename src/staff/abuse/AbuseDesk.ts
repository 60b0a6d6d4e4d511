import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { type AbuseAnswer, AbuseLookUp } from "../../abuse/AbuseLookUp.ts"
import { resolve } from "../../platform/outbound/NameResolution.ts"
import { canonical } from "../../platform/outbound/OwnAddresses.ts"
import { canonicalAddress } from "../../platform/outbound/PublicAddress.ts"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"

/** The question of a complaint, and the case that it belongs to. */
export interface LookUpRequest {
  /** In its canonical form. */
  readonly exit_ip: string
  readonly exit_port: number | null
  readonly at: DateTime.Utc
  readonly tolerance_seconds: number
  /** An address or a name. */
  readonly destination: string | null
  readonly is_machine: boolean
  readonly case_number: string
  readonly reason: string
}

const destinationsAtMost = 32

/** Looks up who used an exit address, for staff. Each look-up is in the audit log, with its case and its answer. */
export class AbuseDesk extends Context.Service<
  AbuseDesk,
  { readonly lookUp: (actor: Actor["Service"], request: LookUpRequest) => Effect.Effect<AbuseAnswer, PermissionNeeded> }
>()("app/staff/AbuseDesk") {
  static readonly layerNoDeps = Layer.effect(
    AbuseDesk,
    Effect.gen(function* () {
      const abuse = yield* AbuseLookUp
      const audit = yield* Audit
      const guard = yield* Guard.make

      /** A name that leads nowhere fits no connection. */
      const addressesOf = Effect.fnUntraced(function* (host: string) {
        const literal = canonicalAddress(host)
        if (literal !== undefined) return [literal]
        return (yield* Effect.promise(() => resolve(host))).map(canonical).slice(0, destinationsAtMost)
      })

      const lookUp = Effect.fn("AbuseDesk.lookUp")(function* (actor: Actor["Service"], request: LookUpRequest) {
        const { at, case_number, destination, exit_ip, exit_port, is_machine, reason, tolerance_seconds } = request
        const destinations = destination === null ? null : yield* addressesOf(destination)
        const attempt = { actor, subject: { kind: "exit_address", id: exit_ip } }
        const act = Effect.gen(function* () {
          const answer = yield* abuse.find({
            exit_ip,
            exit_port,
            at,
            tolerance: Duration.seconds(tolerance_seconds),
            destinations,
            isMachine: is_machine
          })
          yield* audit.record({
            ...attempt,
            action: "abuse.act",
            user_id: answer.verdict === "exact" ? (answer.candidates[0]?.user_id ?? null) : null,
            reason: `${case_number}: ${reason}`,
            after: { exit_port, time: DateTime.formatIso(at), destination, verdict: answer.verdict }
          })
          return answer
        })
        return yield* guard.allow({ ...attempt, permission: "abuse.act" }, act)
      })

      return AbuseDesk.of({ lookUp })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AbuseLookUp.layer, Audit.layer]))
}
