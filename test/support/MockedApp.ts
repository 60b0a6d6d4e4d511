import { Layer } from "effect"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as ServiceMocks from "./ServiceMocks.ts"
import { config, server } from "./TestRoutes.ts"

/**
 * The whole API without a database: every service is a mock. A service that the test does not provide dies when it is
 * used. A bearer token that is a user id is a session of that user.
 */
export const layer = (mocks: Layer.Layer<never> = Layer.empty, settings: Record<string, string> = {}) =>
  server.pipe(
    Layer.provide(Layer.merge(ServiceMocks.layer, mocks)),
    Layer.provide([RateLimit.layer, Addresses.layer]),
    Layer.provide(config(settings))
  )
