import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface Read {
  readonly provider: string
  /** In micro-dollars. */
  readonly balance: bigint
  readonly isLow: boolean
  /** True when the balance is so far above the least one that it is low no more. */
  readonly isEnough: boolean
}

/** The balances at vendors as they were last read, for the to-do list of the staff. */
export class VendorBalancesRepo extends Context.Service<VendorBalancesRepo>()("app/doctor/VendorBalancesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** A low balance stays low until it is enough, so that it does not come and go at the bound. */
      store: ({ balance, isEnough, isLow, provider }: Read, now: DateTime.Utc) => {
        const low_since = isLow ? DateTime.toDate(now) : null
        return Effect.orDie(sql`
          INSERT INTO vendor_balance AS b (provider, balance_usd, low_since, read_at)
          VALUES (${provider}, ${balance}, ${low_since}, ${DateTime.toDate(now)})
          ON CONFLICT (provider) DO UPDATE SET balance_usd = excluded.balance_usd, read_at = excluded.read_at,
            low_since = CASE WHEN NOT ${isEnough}::boolean THEN coalesce(b.low_since, excluded.low_since) END
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
