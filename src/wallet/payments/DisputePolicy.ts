import { Config } from "effect"

/**
 * What an open dispute that took money does to its account (`DISPUTE_POLICY`). `hold` stops purchases. `suspend` stops the
 * proxies too, until the dispute is over.
 */
export const load = Config.Literals(["hold", "suspend"], "DISPUTE_POLICY").pipe(Config.withDefault("hold" as const))
