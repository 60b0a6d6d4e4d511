import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Secrets from "../platform/Secrets.ts"
import { Clients } from "./Clients.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { OAuthRefused } from "./OAuthErrors.ts"
import * as TokenChecks from "./TokenChecks.ts"
import { TokenIssue, type TokenResponse } from "./TokenIssue.ts"
import { TokensRepo } from "./TokensRepo.ts"
import { TokenUse } from "./TokenUse.ts"

interface Redemption {
  readonly code: string
  readonly redirect_uri: string
  readonly code_verifier: string
  readonly resource: string | undefined
  readonly client_address: string
}

/** Exchanges a code for tokens (RFC 6749 section 4.1.3). A second use of the code ends its connection. */
export class CodeRedemption extends Context.Service<
  CodeRedemption,
  { readonly redeem: (client: OAuthClient, given: Redemption) => Effect.Effect<TokenResponse, OAuthRefused> }
>()("app/oauth/CodeRedemption") {
  static readonly layerNoDeps = Layer.effect(
    CodeRedemption,
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const atomically = yield* Atomically
      const clients = yield* Clients
      const repo = yield* TokensRepo
      const { issue } = yield* TokenIssue
      const { endReused, record } = yield* TokenUse

      /** Returns a refusal as a result, not as a failure: a reused code ends its connection, which must be committed. */
      const redeemed = Effect.fnUntraced(function* (
        client: OAuthClient,
        given: Redemption
      ): Effect.fn.Return<Result.Result<TokenResponse, OAuthRefused>> {
        const found = yield* repo.lockByCode(Secrets.digest(given.code))
        if (Option.isNone(found)) return TokenChecks.unknownCode
        const connection = found.value
        const now = yield* DateTime.now
        // A client that cannot prove that it owns the code must not end the connection.
        const proof = TokenChecks.codeProof(client, connection, given)
        if (Result.isFailure(proof)) return Result.fail(proof.failure)
        if (connection.code_used_at !== null) {
          yield* endReused("code_reused", connection, given.client_address, now)
          return TokenChecks.reusedCode
        }
        const checked = Result.gen(function* () {
          yield* TokenChecks.codeAge(connection, now)
          yield* TokenChecks.resource(addresses, connection, given.resource)
        })
        if (Result.isFailure(checked)) return Result.fail(checked.failure)
        const { tokens, until } = yield* issue(client, connection, connection.scopes, now)
        yield* repo.useCode(connection.id, now, until)
        yield* record("redeemed", connection, given.client_address, now)
        return Result.succeed(tokens)
      }, atomically)

      const redeem = Effect.fn("CodeRedemption.redeem")(function* (client: OAuthClient, given: Redemption) {
        const tokens = yield* Effect.fromResult(yield* redeemed(client, given))
        yield* clients.markUsed(client)
        return tokens
      })

      return CodeRedemption.of({ redeem })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, Clients.layer, TokenIssue.layer, TokensRepo.layer, TokenUse.layer])
  )
}
