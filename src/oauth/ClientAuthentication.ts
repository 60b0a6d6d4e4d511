import { Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { timingSafeEqual } from "node:crypto"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import * as Secrets from "../platform/Secrets.ts"
import { Clients } from "./Clients.ts"
import type { OAuthClient, TokenEndpointAuthMethod } from "./OAuthClient.ts"
import { type OAuthRefused, refused } from "./OAuthErrors.ts"
import { OAuthLimits } from "./OAuthLimits.ts"
import * as Parameters from "./Parameters.ts"

/** The client that a request claims to come from, and the method by which it authenticates. */
interface PresentedClient {
  readonly client_id: string
  readonly method: TokenEndpointAuthMethod
  readonly secret: string | null
}

const failed = (description: string) => Result.fail(refused("invalid_client", description))
const malformed = (description: string) => Result.fail(refused("invalid_request", description))

/** The characters allowed in an id and a secret (RFC 6749 appendix A). */
const visible = /^[\x20-\x7e]+$/

const formDecoded = (text: string): string | null => {
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "))
    return visible.test(decoded) ? decoded : null
  } catch {
    return null
  }
}

/** Reads HTTP Basic with the id and the secret form-encoded (RFC 6749 section 2.3.1). */
const basic = (authorization: string): PresentedClient | null => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  const [, id = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? []
  const [client_id, secret] = [formDecoded(id), formDecoded(password)]
  return client_id === null || secret === null ? null : { client_id, method: "client_secret_basic", secret }
}

/** Reads the credentials of a request, which must use exactly one method: none, secret in the body, or HTTP Basic. */
const presented = (
  authorization: string | undefined,
  form: Parameters.Parameters
): Result.Result<PresentedClient, OAuthRefused> => {
  const [client_id, secret] = [form.get("client_id"), form.get("client_secret")]
  if (form.has("client_assertion") || form.has("client_assertion_type"))
    return failed("Authenticate with none, client_secret_post or client_secret_basic; assertions are not supported")
  if (authorization !== undefined) {
    if (secret !== undefined)
      return malformed("Authenticate with the Authorization header or with client_secret, not with both")
    const client = basic(authorization)
    if (client === null) return failed("Send HTTP Basic with client_id and client_secret, each form-encoded")
    if (client_id !== undefined && client_id !== client.client_id)
      return malformed("Send the client_id of the Authorization header in the body, or no client_id in the body")
    return Result.succeed(client)
  }
  return Result.map(Parameters.required(form, "client_id"), (client_id) =>
    secret === undefined
      ? { client_id, method: "none", secret: null }
      : { client_id, method: "client_secret_post", secret }
  )
}

/** Compares digests, because all digests have the same length. */
const isSecretOf = ({ secret_hash }: OAuthClient, secret: string | null): boolean =>
  secret_hash === null || secret === null
    ? secret_hash === secret
    : timingSafeEqual(Buffer.from(secret_hash), Buffer.from(Secrets.digest(secret)))

/** Authenticates apps at the token and revocation endpoints, with exactly the method that each app registered. */
export class ClientAuthentication extends Context.Service<
  ClientAuthentication,
  {
    readonly authenticate: (
      form: Parameters.Parameters
    ) => Effect.Effect<OAuthClient, OAuthRefused | RateLimited, HttpServerRequest.HttpServerRequest>
  }
>()("app/oauth/ClientAuthentication") {
  static readonly layerNoDeps = Layer.effect(
    ClientAuthentication,
    Effect.gen(function* () {
      const clients = yield* Clients
      const limits = yield* OAuthLimits

      const authenticate = Effect.fn("ClientAuthentication.authenticate")(function* (form: Parameters.Parameters) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const { client_id, method, secret } = yield* Effect.fromResult(presented(headers["authorization"], form))
        const client = yield* clients.find(client_id)
        if (
          Option.isSome(client) &&
          client.value.token_endpoint_auth_method === method &&
          isSecretOf(client.value, secret)
        )
          return client.value
        yield* limits.clientFailure(client_id)
        return yield* refused(
          "invalid_client",
          "Send the client_id of a registered client, and authenticate with its registered method and its secret"
        )
      })

      return ClientAuthentication.of({ authenticate })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Clients.layer, OAuthLimits.layer]))
}
