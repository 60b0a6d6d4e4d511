import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import type { SessionClient } from "../Session.ts"

const longestUserAgent = 400

/** The client outside of a request. */
const unknown: SessionClient = { user_agent: null, address: null }

/** Cuts the header. Its characters are bytes, so no cut divides one. */
const userAgentOf = (header = ""): string | null => header.trim().slice(0, longestUserAgent).trim() || null

/** Makes the effect that reads the client of the current request. */
export const make = Effect.map(ClientAddress, ({ limited }) =>
  Effect.flatMap(
    Effect.serviceOption(HttpServerRequest.HttpServerRequest),
    Option.match({
      onNone: () => Effect.succeed(unknown),
      onSome: (request) =>
        Effect.map(
          Effect.provideService(limited, HttpServerRequest.HttpServerRequest, request),
          (address): SessionClient => ({
            user_agent: userAgentOf(request.headers["user-agent"]),
            address: address === "unknown" ? null : address
          })
        )
    })
  )
)
