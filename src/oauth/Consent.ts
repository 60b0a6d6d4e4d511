import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Scope } from "../accounts/Scope.ts"
import { Sessions } from "../accounts/sessions/Sessions.ts"
import type { UserId } from "../accounts/User.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Secrets from "../platform/Secrets.ts"
import * as AuthorizationResponse from "./AuthorizationResponse.ts"
import type { PendingAuthorization } from "./Authorizations.ts"
import { type Authorization, type AuthorizationId, AuthorizationsRepo } from "./AuthorizationsRepo.ts"
import { GrantsRepo } from "./GrantsRepo.ts"
import type { OAuthEvent } from "./OAuthEvent.ts"
import { OAuthEventsRepo } from "./OAuthEventsRepo.ts"
import * as OAuthScope from "./OAuthScope.ts"

const codeSeconds = 60
const connectionsPerGrant = 100
/** The limit that the page proposes for an app that could not spend before, in micro-dollars. */
const proposedLimit = 25_000_000n

/** A person's decision about a request that waits in the browser. */
export interface Decision {
  readonly authorization_id: AuthorizationId
  /** The SHA-256 hash of the browser's cookie. */
  readonly browser_hash: string
  readonly user_id: UserId
  /** The session that the person is signed in with; it must still be live. */
  readonly session_id: string
  readonly approved: boolean
  readonly spending: boolean
  /** The most that the app may spend in a day (UTC), in micro-dollars; null means no limit. Counts only with `spending`. */
  readonly daily_spend_limit_usd: bigint | null
  readonly client_address: string
}

/** The outcome of a decision. */
export type Decided =
  /** The complete redirect to the client, with `code` or `error=access_denied`, and `state` and `iss`. */
  | { readonly _tag: "Redirect"; readonly location: string }
  /** The request is unknown, expired, already decided, or belongs to another browser. */
  | { readonly _tag: "Gone" }
  /** The session has ended: the person signs in again. */
  | { readonly _tag: "SignedOut" }
  /** The app requested only spending and the person did not tick the box, so there is nothing to grant. */
  | { readonly _tag: "NothingGranted" }

const makeProposeLimit = Effect.gen(function* () {
  const grants = yield* GrantsRepo

  return Effect.fn("Consent.proposeLimit")(function* (user_id: UserId, { client, resource }: PendingAuthorization) {
    const held = Option.getOrUndefined(yield* grants.find({ user_id, client_id: client.id, resource }))
    if (held === undefined) return proposedLimit
    return held.daily_spend_limit_usd ?? (OAuthScope.maySpend(held.scopes) ? null : proposedLimit)
  })
})

/**
 * Records a person's decision. An approval creates a connection with a code and replaces the scopes and the daily limit of the
 * grant.
 */
export class Consent extends Context.Service<
  Consent,
  {
    /** Decides a request once: the first decision counts, and later ones get `Gone`. */
    readonly decide: (decision: Decision) => Effect.Effect<Decided>
    /**
     * The daily limit that the page proposes, in micro-dollars; null means no limit. An app that may already spend keeps its
     * own.
     */
    readonly proposeLimit: (user_id: UserId, authorization: PendingAuthorization) => Effect.Effect<bigint | null>
  }
>()("app/oauth/Consent") {
  static readonly layerNoDeps = Layer.effect(
    Consent,
    Effect.gen(function* () {
      const { issuer } = yield* Addresses
      const atomically = yield* Atomically
      const authorizations = yield* AuthorizationsRepo
      const grants = yield* GrantsRepo
      const events = yield* OAuthEventsRepo
      const sessions = yield* Sessions

      const answer = ({ redirect_uri, state }: Authorization, parameters: Readonly<Record<string, string>>) => ({
        _tag: "Redirect" as const,
        location: AuthorizationResponse.location(redirect_uri, { ...parameters, state, iss: issuer })
      })

      const record = (
        kind: "approved" | "declined",
        { client_id }: Authorization,
        { client_address, user_id }: Decision,
        rest: Pick<OAuthEvent, "occurred_at" | "connection_id" | "scopes">
      ) => events.record({ kind, user_id, client_id, client_address, reason: null, ...rest })

      const decline = Effect.fnUntraced(function* (pending: Authorization, decision: Decision, now: DateTime.Utc) {
        const { scopes } = pending
        yield* record("declined", pending, decision, { occurred_at: now, connection_id: null, scopes })
        return answer(pending, {
          error: "access_denied",
          error_description: "The person declined to connect the app"
        })
      })

      const approve = Effect.fnUntraced(function* (
        pending: Authorization,
        scopes: ReadonlyArray<Scope>,
        decision: Decision,
        now: DateTime.Utc
      ) {
        const { client_id, code_challenge, redirect_uri, resource } = pending
        const { user_id } = decision
        const daily_spend_limit_usd = OAuthScope.maySpend(scopes) ? decision.daily_spend_limit_usd : null
        const grant_id = yield* grants.grant({ user_id, client_id, resource, scopes, daily_spend_limit_usd, now })
        yield* grants.supersede(grant_id, connectionsPerGrant - 1, now)
        const id = SecureRandom.uuidV7Unsafe()
        const code = yield* Secrets.make("pac_")
        yield* grants.insert({
          id,
          grant_id,
          code_hash: Secrets.digest(code),
          code_challenge,
          redirect_uri,
          code_expires_at: DateTime.add(now, { seconds: codeSeconds }),
          created_at: now
        })
        yield* record("approved", pending, decision, { occurred_at: now, connection_id: id, scopes })
        return answer(pending, { code })
      })

      /**
       * Locks the account first, as a password change, signing out everywhere and the deletion of the account do. When one of
       * them comes first, this finds the session ended. When this comes first, they find the connection and end it.
       */
      const decide = Effect.fn("Consent.decide")(function* (decision: Decision): Effect.fn.Return<Decided> {
        if (!(yield* sessions.hold(decision.session_id, decision.user_id))) return { _tag: "SignedOut" }
        const now = yield* DateTime.now
        const { authorization_id, browser_hash } = decision
        const found = yield* authorizations.lock({ id: authorization_id, browser_hash, now })
        if (Option.isNone(found)) return { _tag: "Gone" }
        const pending = found.value
        // An approval always includes the requested reading scopes; only spending has a box of its own.
        const granted = pending.scopes.filter((scope) => scope !== OAuthScope.spending || decision.spending)
        if (decision.approved && granted.length === 0) return { _tag: "NothingGranted" }
        yield* authorizations.remove(pending.id)
        return yield* decision.approved ? approve(pending, granted, decision, now) : decline(pending, decision, now)
      }, atomically)

      return Consent.of({ decide, proposeLimit: yield* makeProposeLimit })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, AuthorizationsRepo.layer, GrantsRepo.layer, OAuthEventsRepo.layer, Sessions.layer])
  )
}
