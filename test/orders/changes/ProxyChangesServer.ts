import { Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { RequestValidation } from "../../../src/http/RequestValidation.ts"
import { ProxyChangesApi } from "../../../src/orders/changes/ProxyChangesApi.ts"
import * as ProxyChangesHttp from "../../../src/orders/changes/ProxyChangesHttp.ts"
import * as TestServer from "../../support/TestServer.ts"
import { layer as domain } from "./ProxyChangeTesting.ts"

const api = HttpApi.make("proxy-rental").add(ProxyChangesApi).middleware(RequestValidation).prefix("/v1")

/** The operations over HTTP. */
export const server = TestServer.layerOf(api, ProxyChangesHttp.layer).pipe(Layer.provideMerge(domain))

export interface Options {
  readonly user?: string
  readonly key?: string
  readonly body?: unknown
  /** Header Idempotency-Key. */
  readonly idempotency?: string
}

export const post = ({ id }: { readonly id: string }, operation: string, { idempotency, ...options }: Options = {}) =>
  TestServer.request("POST", `/v1/orders/${id}/${operation}`, {
    ...options,
    headers: idempotency === undefined ? {} : { "idempotency-key": idempotency }
  })
