import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface Read {
  readonly provider: string
  /** In micro-dollars. */
  readonly balance: bigint
  readonly isLow: boolean
}

/** The balances at vendors as they were last read, for the to-do list of the staff. */
export class VendorBalancesRepo extends Context.Service<VendorBalancesRepo>()("app/doctor/VendorBalancesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      store: ({ balance, isLow, provider }: Read, now: DateTime.Utc) => {
        const low_since = isLow ? DateTime.toDate(now) : null
        return Effect.orDie(sql`
          INSERT INTO vendor_balance AS b (provider, balance_usd, low_since, read_at)
          VALUES (${provider}, ${balance}, ${low_since}, ${DateTime.toDate(now)})
          ON CONFLICT (provider) DO UPDATE SET balance_usd = excluded.balance_usd, read_at = excluded.read_at,
            low_since = CASE WHEN excluded.low_since IS NOT NULL THEN coalesce(b.low_since, excluded.low_since) END
        `)
      },

      /** Forgets vendors that are switched off. */
      keepOnly: (providers: ReadonlyArray<string>) =>
        Effect.orDie(sql`DELETE FROM vendor_balance WHERE provider <> ALL (${providers}::text[])`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
