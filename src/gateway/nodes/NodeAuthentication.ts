import { Clock, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { decodeJwt, importJWK, jwtVerify } from "jose"
import * as Secrets from "../../platform/Secrets.ts"
import { PublicUrl } from "../../platform/settings/Addresses.ts"
import { GatewayNodeName, type GatewayNodeId } from "../GatewayNode.ts"
import { NodesRepo } from "./NodesRepo.ts"

/** What a host sends to join. */
export const Enrolment = Schema.Struct({
  token: Schema.String.check(Schema.isPattern(/^[\w-]{20,100}$/)),
  name: GatewayNodeName,
  /** The 32 bytes of an Ed25519 key, in base64url. */
  public_key: Schema.String.check(Schema.isPattern(/^[\w-]{43}$/))
})

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

/** The longest time that a token of a connection is valid. */
const tokenSeconds = 60

const subjectOf = (token: string): string | undefined => {
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}

/** Finds out which node a host is. */
export class NodeAuthentication extends Context.Service<
  NodeAuthentication,
  {
    /** True when the operator has added a node. Without one, the routes of nodes do not exist. */
    readonly isOpen: Effect.Effect<boolean>
    /** Gives a node its key. None: the token is unknown, used or too old. */
    readonly enrol: (enrolment: typeof Enrolment.Type) => Effect.Effect<Option.Option<GatewayNodeId>>
    /** Checks the token of a connection (RFC 7519, with Ed25519). None: it is not valid. */
    readonly authenticate: (token: string) => Effect.Effect<Option.Option<GatewayNodeId>>
  }
>()("app/gateway/NodeAuthentication") {
  static readonly layer = Layer.effect(
    NodeAuthentication,
    Effect.gen(function* () {
      const repo = yield* NodesRepo
      const audience = yield* PublicUrl

      const verify = (token: string, public_key: Uint8Array, now: number) =>
        Effect.tryPromise(async () => {
          const x = Buffer.from(public_key).toString("base64url")
          const key = await importJWK({ kty: "OKP", crv: "Ed25519", x }, "EdDSA")
          const { payload } = await jwtVerify(token, key, {
            algorithms: ["EdDSA"],
            audience,
            requiredClaims: ["exp", "iat", "sub"],
            maxTokenAge: tokenSeconds,
            clockTolerance: 10,
            currentDate: new Date(now)
          })
          return payload
        })

      const authenticate = Effect.fn("NodeAuthentication.authenticate")(function* (token: string) {
        const subject = subjectOf(token)
        if (subject === undefined || !isUuid(subject)) return Option.none()
        const node = Option.getOrUndefined(yield* repo.withKey(subject))
        if (node === undefined) return Option.none()
        const verified = yield* Effect.option(verify(token, node.public_key, yield* Clock.currentTimeMillis))
        return Option.as(verified, node.id)
      })

      const enrol = Effect.fn("NodeAuthentication.enrol")(function* ({
        name,
        public_key,
        token
      }: typeof Enrolment.Type) {
        const key = Buffer.from(public_key, "base64url")
        return yield* repo.enrol(Secrets.digest(token), name, new Uint8Array(key), yield* DateTime.now)
      })

      return NodeAuthentication.of({ isOpen: repo.any, enrol, authenticate })
    })
  ).pipe(Layer.provide(NodesRepo.layer))
}
