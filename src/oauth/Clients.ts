import { Cache, Cause, Context, DateTime, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import * as Secrets from "../platform/Secrets.ts"
import { Text } from "../platform/fields/Text.ts"
import * as ClientDocument from "./ClientDocument.ts"
import { ClientDocuments } from "./ClientDocuments.ts"
import { type ClientUnusable, type DocumentFetchesBusy, unusable } from "./ClientErrors.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import { ClientsRepo } from "./ClientsRepo.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { OAuthRefused } from "./OAuthErrors.ts"
import { OAuthLimits } from "./OAuthLimits.ts"

/** Minimum time between two fetches of a document, even of an unusable one, so that this service floods no server. */
const memory = Duration.seconds(30)
const mostRemembered = 500

/** True for a text that the database can look up. */
const isStorable = Schema.is(Text(1, 2048))

const timeToLive = (exit: Exit.Exit<OAuthClient, ClientUnusable | DocumentFetchesBusy>) =>
  Exit.isSuccess(exit) || Option.exists(Cause.findErrorOption(exit.cause), ({ _tag }) => _tag === "ClientUnusable")
    ? memory
    : Duration.zero

const isFresh = ({ fresh_until }: OAuthClient, now: DateTime.Utc) =>
  fresh_until !== null && DateTime.isLessThan(now, fresh_until)

/** Registers apps and finds them by id or by their document (docs/contract.md, "OAuth"). */
export class Clients extends Context.Service<
  Clients,
  {
    /** Registers a client with its metadata (RFC 7591). The service stores only the hash of `secret`. */
    readonly register: (
      metadata: unknown
    ) => Effect.Effect<{ readonly client: OAuthClient; readonly secret: string | null }, OAuthRefused>
    /** Finds a registered client, or one whose document is stored. Fetches nothing. */
    readonly find: (client_id: string) => Effect.Effect<Option.Option<OAuthClient>>
    /**
     * Finds a client; fetches its document when it is unknown or no longer fresh. Concurrent requests share one fetch. Does
     * not store the document, so that requests with arbitrary addresses leave nothing behind.
     */
    readonly resolve: (
      client_id: string
    ) => Effect.Effect<Option.Option<OAuthClient>, ClientUnusable | RateLimited, HttpServerRequest.HttpServerRequest>
    /** Stores the document of a resolved client, and the time of its use. */
    readonly keep: (client: OAuthClient) => Effect.Effect<void>
    /** Records the last use of a client, to the hour. The cleanup removes a client unused for 30 days. */
    readonly markUsed: (client: OAuthClient) => Effect.Effect<void>
  }
>()("app/oauth/Clients") {
  static readonly layerNoDeps = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const repo = yield* ClientsRepo
      const documents = yield* ClientDocuments
      const limits = yield* OAuthLimits

      const register = Effect.fn("Clients.register")(function* (body: unknown) {
        const metadata = yield* Effect.fromResult(ClientMetadata.read(body))
        const id = yield* Secrets.make("dcr_")
        const secret = metadata.token_endpoint_auth_method === "none" ? null : yield* Secrets.make("pcs_")
        const now = yield* DateTime.now
        const client: OAuthClient = {
          ...metadata,
          id,
          is_verified: false,
          secret_hash: secret === null ? null : Secrets.digest(secret),
          fresh_until: null,
          created_at: now,
          last_used_at: now
        }
        yield* repo.insert(client)
        return { client, secret }
      })

      const find = Effect.fn("Clients.find")((client_id: string) =>
        isStorable(client_id) ? repo.find(client_id) : Effect.succeedNone
      )

      const fetch = Effect.fnUntraced(function* (client_id: string) {
        const { freshFor, metadata } = yield* documents.fetch(client_id)
        const now = yield* DateTime.now
        return {
          ...metadata,
          id: client_id,
          is_verified: true,
          secret_hash: null,
          fresh_until: DateTime.addDuration(now, freshFor),
          created_at: now,
          last_used_at: now
        }
      })

      const fetched = yield* Cache.makeWith(fetch, { capacity: mostRemembered, timeToLive })

      /** Fails when the document is no longer usable, even when an earlier version was. */
      const described = Effect.fnUntraced(function* (client_id: string) {
        if (!(yield* Cache.has(fetched, client_id))) {
          const known = yield* find(client_id)
          if (Option.isSome(known) && isFresh(known.value, yield* DateTime.now)) return known.value
          yield* limits.address("document")
        }
        return yield* Cache.get(fetched, client_id)
      })

      const resolve = Effect.fn("Clients.resolve")((client_id: string) =>
        ClientDocument.isAddress(client_id)
          ? described(client_id).pipe(
              Effect.asSome,
              Effect.catchTag("DocumentFetchesBusy", () =>
                Effect.fail(unusable("The service fetches too many documents right now; try again in a moment"))
              )
            )
          : find(client_id)
      )

      const markUsed = Effect.fn("Clients.markUsed")(function* ({ id, last_used_at }: OAuthClient) {
        const now = yield* DateTime.now
        if (DateTime.isLessThan(last_used_at, DateTime.subtract(now, { hours: 1 }))) yield* repo.markUsed(id, now)
      })

      const keep = Effect.fn("Clients.keep")(function* (client: OAuthClient) {
        if (client.fresh_until === null) return yield* markUsed(client)
        yield* repo.keepDocument({ ...client, last_used_at: yield* DateTime.now })
      })

      return { register, find, resolve, keep, markUsed }
    })
  )

  static readonly layer = Clients.layerNoDeps.pipe(
    Layer.provide([ClientsRepo.layer, ClientDocuments.layer, OAuthLimits.layer])
  )
}
