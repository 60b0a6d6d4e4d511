import { Clock, Duration, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Enrolment, NodeAuthentication } from "../gateway/nodes/NodeAuthentication.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import * as NodeSockets from "./NodeSockets.ts"

const enrolments = { name: "node-enrolment", limit: 10, window: Duration.minutes(1) }

const absent = errorAnswer({ status: 404, code: "NOT_FOUND", detail: "There is no such route" })
const refused = errorAnswer({
  status: 403,
  code: "FORBIDDEN",
  detail: "The join string is unknown, used or too old; nodes rejoin prints another one"
})
const malformed = errorAnswer({ status: 422, code: "VALIDATION_ERROR", detail: "The enrolment cannot be read" })
const limited = errorAnswer({ status: 429, code: "RATE_LIMITED", detail: "Too many enrolments; try again in a minute" })

const decode = Schema.decodeUnknownEffect(Enrolment)

/** Lets a host join (docs/nodes.md). Without an added node, the routes of nodes do not exist. */
const enrol = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const authentication = yield* NodeAuthentication
    const client = yield* ClientAddress
    const limit = yield* RateLimit

    yield* router.add(
      "POST",
      "/node/v1/enrol",
      Effect.gen(function* () {
        if (!(yield* authentication.isOpen)) return absent
        if (Option.isNone(yield* Effect.option(limit.enforce(enrolments, yield* client.limited)))) return limited
        const request = yield* HttpServerRequest.HttpServerRequest
        const enrolment = yield* Effect.option(Effect.flatMap(request.json, decode))
        if (Option.isNone(enrolment)) return malformed
        const node = yield* authentication.enrol(enrolment.value)
        if (Option.isNone(node)) return refused
        return HttpServerResponse.jsonUnsafe(
          { node_id: node.value, now: yield* Clock.currentTimeMillis },
          { headers: { "cache-control": "no-store" } }
        )
      })
    )
  })
)

export const layer = Layer.merge(enrol, NodeSockets.layer)
