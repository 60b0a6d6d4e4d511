import { Context, Effect, Layer } from "effect"
import * as Keyset from "../Keyset.ts"
import type { AuditEvent } from "./AuditEvent.ts"
import type { AuditFilter } from "./AuditFilter.ts"
import { AuditLogRepo, type ChainFault, type ChainHead } from "./AuditLogRepo.ts"

/** Reads the log, and verifies its chain. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly list: (
      filter: AuditFilter
    ) => Effect.Effect<{ readonly items: ReadonlyArray<AuditEvent>; readonly next: string | null }>
    /** Walks the whole chain. `faults` names the first 100 places where it is broken. */
    readonly verify: Effect.Effect<{ readonly head: ChainHead; readonly faults: ReadonlyArray<ChainFault> }>
  }
>()("app/staff/AuditLog") {
  static readonly layerNoDeps = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const repo = yield* AuditLogRepo
      return AuditLog.of({
        list: Effect.fn("AuditLog.list")(function* (filter) {
          return Keyset.pageOf(yield* repo.list(filter), filter.limit)
        }),
        verify: Effect.all({ head: repo.head, faults: repo.faults })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AuditLogRepo.layer))
}
