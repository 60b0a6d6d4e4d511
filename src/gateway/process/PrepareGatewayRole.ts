import { Config, Effect, Option, Redacted, Schema } from "effect"
import { createHmac } from "node:crypto"
import { socketUrl } from "../../platform/postgres/SocketUrl.ts"
import { GatewayRoleRepo } from "./GatewayRoleRepo.ts"

const own = "proxy_gateway"

const roleOf = (text: string): string => {
  const url = URL.parse(text)
  return decodeURIComponent(url?.username ?? "") || (url?.searchParams.get("user") ?? "")
}

/** The database URL for gateways, when it differs from the service's own. */
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

/** Derives the gateway's password from the owner's password, so that it does not disclose the owner's. */
const passwordOf = (owner: string) => createHmac("sha256", owner).update(own).digest("hex")

/**
 * Grants the database role of gateway processes its privileges, and returns the variables that make a gateway use it. With
 * the embedded PostgreSQL, the service creates the role. With `DATABASE_URL`, the operator creates the role and names it in
 * `GATEWAY_DATABASE_URL`.
 */
export const make = Effect.gen(function* () {
  const repo = yield* GatewayRoleRepo
  const given = yield* GatewayDatabaseUrl
  if (Option.isSome(given)) {
    const url = Redacted.value(given.value)
    const role = roleOf(url)
    if (yield* repo.has(role)) yield* repo.grant(role)
    else yield* Effect.logWarning(`GATEWAY_DATABASE_URL: the database has no role ${role}; create it (docs/gateway.md)`)
    return { DATABASE_URL: url }
  }
  const { password, url } = repo.config
  if (url !== undefined)
    yield* Effect.logWarning(
      "GATEWAY_DATABASE_URL is not set: the gateway, which is open to the internet, uses the service's own database role; create a role with fewer privileges (docs/gateway.md)"
    )
  if (url !== undefined || !Redacted.isRedacted(password)) return {}
  const secret = passwordOf(Redacted.value(password))
  yield* repo.grant(own, secret)
  return { DATABASE_URL: socketUrl(repo.config, own, secret) }
}).pipe(Effect.provide(GatewayRoleRepo.layer))
