import { Layer } from "effect"
import * as DeliveryHttp from "./DeliveryHttp.ts"
import * as EndpointHttp from "./EndpointHttp.ts"
import * as EndpointsHttp from "./EndpointsHttp.ts"
import * as SecretHttp from "./SecretHttp.ts"

/** The pages of the webhooks. */
export const layer = Layer.mergeAll(DeliveryHttp.layer, EndpointHttp.layer, EndpointsHttp.layer, SecretHttp.layer)
