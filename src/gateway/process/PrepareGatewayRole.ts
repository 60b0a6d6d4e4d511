import { Config, Effect, Option, Redacted, Schema } from "effect"
import { createHmac } from "node:crypto"
import { GatewayRoleRepo } from "./GatewayRoleRepo.ts"

const own = "proxy_gateway"

const roleOf = (text: string): string => {
  const url = URL.parse(text)
  return decodeURIComponent(url?.username ?? "") || (url?.searchParams.get("user") ?? "")
}

/** The database's address for gateways, when it is not the service's own. */
const GatewayDatabaseUrl = Config.option(
  Config.schema(
    Schema.RedactedFromValue(
      Schema.String.check(
        Schema.makeFilter(
          (text) =>
            (/^postgres(ql)?:/.test(text) && roleOf(text) !== "") ||
            "must be postgres://user:password@host:port/database"
        )
      )
    ),
    "GATEWAY_DATABASE_URL"
  )
)

/** Derives the gateway's password from the owner's, which it does not disclose. */
const passwordOf = (owner: string) => createHmac("sha256", owner).update(own).digest("hex")

/**
 * Prepares the database role of gateway processes, which may do a gateway's work and nothing else, and answers the
 * variables that have a gateway use it. With the embedded PostgreSQL the role is the service's to make; with
 * `DATABASE_URL` it is the operator's, who names it in `GATEWAY_DATABASE_URL`.
 */
export const make = Effect.gen(function* () {
  const repo = yield* GatewayRoleRepo
  const given = yield* GatewayDatabaseUrl
  if (Option.isSome(given)) {
    const url = Redacted.value(given.value)
    const role = roleOf(url)
    if (yield* repo.has(role)) yield* repo.grant(role)
    else yield* Effect.logWarning(`GATEWAY_DATABASE_URL: the database has no role ${role}`)
    return { DATABASE_URL: url }
  }
  const { database, host, password, port, url } = repo.config
  if (url !== undefined)
    yield* Effect.logWarning(
      "GATEWAY_DATABASE_URL: the gateway, which faces strangers, has the service's own role in the database; give it one that does a gateway's work only (docs/gateway.md)"
    )
  if (url !== undefined || !Redacted.isRedacted(password)) return {}
  const secret = passwordOf(Redacted.value(password))
  yield* repo.grant(own, secret)
  const query = new URLSearchParams({ user: own, password: secret, host: host ?? "", port: String(port ?? "") })
  return { DATABASE_URL: `postgres:///${database}?${query}` }
}).pipe(Effect.provide(GatewayRoleRepo.layer))
