import { Context, DateTime, Effect, Layer, Option, type Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"
import type { Scope } from "../accounts/Scope.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import * as AuthorizationRequest from "./AuthorizationRequest.ts"
import * as AuthorizationResponse from "./AuthorizationResponse.ts"
import { AuthorizationId, AuthorizationsRepo } from "./AuthorizationsRepo.ts"
import * as ClientDocument from "./ClientDocument.ts"
import { Clients } from "./Clients.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { OAuthErrorCode, OAuthRefused } from "./OAuthErrors.ts"
import * as Parameters from "./Parameters.ts"

const pendingMinutes = 10
const pendingPerBrowser = 20

const isId = Schema.is(AuthorizationId)

/** A request that waits for the person's decision on the consent page. */
export interface PendingAuthorization {
  readonly id: AuthorizationId
  readonly client: OAuthClient
  readonly redirect_uri: string
  readonly resource: string
  /** The requested scopes. */
  readonly scopes: ReadonlyArray<Scope>
}

/** A fault of an authorization request, and its recipient. */
export type RequestFault =
  /** The client gets the fault: `location` is the complete redirect, with `error`, `state` and `iss`. */
  | { readonly _tag: "Redirect"; readonly location: string }
  /** The person gets the fault on an error page: `detail` is plain text, `error` is the code of RFC 6749. */
  | { readonly _tag: "ErrorPage"; readonly error: OAuthErrorCode; readonly detail: string }

/** The outcome of an authorization request. */
export type Began = { readonly _tag: "Pending"; readonly id: AuthorizationId } | RequestFault

const page = (error: OAuthErrorCode, detail: string): RequestFault => ({ _tag: "ErrorPage", error, detail })

/** A fault on an error page: first in words for the person, then in words for the app's developer. */
const badRequest = ({ description, error }: OAuthRefused) =>
  page(
    error,
    `The app sent a request that we cannot accept. Go back to the app and try again. If that does not help, send this to the app's developer: ${description}.`
  )

const unknownClient = page(
  "invalid_client",
  "We do not know this app. We forget an app that is not used for 30 days. Go back to the app and connect again."
)

/** Shows only a valid address, so that strangers cannot put their own words on a page of the service. */
const addressOf = (client_id: string) =>
  ClientDocument.addressFaultOf(client_id) === undefined ? client_id : "an address that is not valid"

const unusableClient = (client_id: string, reason: string) =>
  page(
    "invalid_client",
    `We cannot use the description of the app at ${addressOf(client_id)}: ${reason}. Try again later. If that does not help, send this message to the app's developer.`
  )

const orFault = <A>(checked: Result.Result<A, OAuthRefused>, toFault: (refused: OAuthRefused) => RequestFault) =>
  Effect.mapError(Effect.fromResult(checked), toFault)

/** Turns a fault of the request into an answer; a rate limit stays a failure. */
const answered = <A, R>(effect: Effect.Effect<A, RequestFault | RateLimited, R>) =>
  Effect.catchIf(effect, (fault): fault is RequestFault => fault._tag !== "RateLimited", Effect.succeed)

/** Checks and keeps authorization requests until the person decides (docs/contract.md, "OAuth"). */
export class Authorizations extends Context.Service<
  Authorizations,
  {
    /** Checks a request without keeping it; null when it has no fault. `query` includes repeated parameters. */
    readonly judge: (
      query: URLSearchParams
    ) => Effect.Effect<RequestFault | null, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Checks a request and keeps a valid one for this browser, for 10 minutes. */
    readonly begin: (
      query: URLSearchParams,
      browser_hash: string
    ) => Effect.Effect<Began, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Finds a request that waits in this browser. */
    readonly find: (id: string, browser_hash: string) => Effect.Effect<Option.Option<PendingAuthorization>>
  }
>()("app/oauth/Authorizations") {
  static readonly layerNoDeps = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const clients = yield* Clients
      const repo = yield* AuthorizationsRepo

      const redirect = (
        redirect_uri: string,
        { description, error }: OAuthRefused,
        state: string | null
      ): RequestFault => ({
        _tag: "Redirect",
        location: AuthorizationResponse.location(redirect_uri, {
          error,
          error_description: description,
          state,
          iss: addresses.issuer
        })
      })

      const clientOf = (client_id: string) =>
        clients.resolve(client_id).pipe(
          Effect.catchTag("ClientUnusable", ({ reason }) => Effect.fail(unusableClient(client_id, reason))),
          Effect.flatMap((found) => Effect.mapError(Effect.fromOption(found), () => unknownClient))
        )

      /** Checks in this order: a redirect URI is trusted only after the client is known to have registered it. */
      const judged = Effect.fnUntraced(function* (query: URLSearchParams) {
        const parameters = yield* orFault(Parameters.read(query), badRequest)
        const client_id = yield* orFault(Parameters.required(parameters, "client_id"), badRequest)
        const client = yield* clientOf(client_id)
        const redirect_uri = yield* orFault(AuthorizationRequest.redirectUri(parameters, client), badRequest)
        const terms = yield* orFault(AuthorizationRequest.terms(parameters, addresses), (refused) =>
          AuthorizationRequest.tellsClient(client, redirect_uri)
            ? redirect(redirect_uri, refused, parameters.get("state") ?? null)
            : badRequest(refused)
        )
        return { client, redirect_uri, ...terms }
      })

      const judge = Effect.fn("Authorizations.judge")((query: URLSearchParams) =>
        answered(Effect.as(judged(query), null))
      )

      const keep = Effect.fnUntraced(function* (query: URLSearchParams, browser_hash: string) {
        const { client, ...request } = yield* judged(query)
        // Marks the client as used, so that the cleanup keeps it until the person decides.
        yield* clients.keep(client)
        yield* repo.removeOldest(browser_hash, pendingPerBrowser - 1)
        const id = AuthorizationId.make(SecureRandom.uuidV7Unsafe())
        const created_at = yield* DateTime.now
        const expires_at = DateTime.add(created_at, { minutes: pendingMinutes })
        const isKept = yield* repo.insert({
          id,
          browser_hash,
          client_id: client.id,
          ...request,
          created_at,
          expires_at
        })
        return isKept ? { _tag: "Pending" as const, id } : yield* Effect.fail(unknownClient)
      })

      const begin = Effect.fn("Authorizations.begin")((query: URLSearchParams, browser_hash: string) =>
        answered(keep(query, browser_hash))
      )

      const find = Effect.fn("Authorizations.find")(function* (id: string, browser_hash: string) {
        if (!isId(id)) return Option.none()
        const pending = yield* repo.find({ id, browser_hash, now: yield* DateTime.now })
        if (Option.isNone(pending)) return Option.none()
        const { client_id, redirect_uri, resource, scopes } = pending.value
        return Option.map(yield* clients.find(client_id), (client) => ({ id, client, redirect_uri, resource, scopes }))
      })

      return Authorizations.of({ judge, begin, find })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, AuthorizationsRepo.layer, Clients.layer])
  )
}
