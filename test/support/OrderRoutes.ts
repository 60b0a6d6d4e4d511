import { Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { RequestValidation } from "../../src/http/RequestValidation.ts"
import { CheckoutApi } from "../../src/orders/checkout/CheckoutApi.ts"
import * as CheckoutHttp from "../../src/orders/checkout/CheckoutHttp.ts"
import { OrdersApi } from "../../src/orders/OrdersApi.ts"
import * as OrdersHttp from "../../src/orders/OrdersHttp.ts"
import { OrderDetailsApi } from "../../src/orders/proxies/OrderDetailsApi.ts"
import * as OrderDetailsHttp from "../../src/orders/proxies/OrderDetailsHttp.ts"
import { TrafficUsageApi } from "../../src/orders/traffic/TrafficUsageApi.ts"
import * as TrafficUsageHttp from "../../src/orders/traffic/TrafficUsageHttp.ts"

/** The operations of the tag `Orders`. */
export const groups = HttpApi.make("proxy-rental").add(OrdersApi, CheckoutApi, OrderDetailsApi, TrafficUsageApi)

export const api = groups.middleware(RequestValidation).prefix("/v1")

export const handlers = Layer.mergeAll(
  OrdersHttp.layer,
  CheckoutHttp.layer,
  OrderDetailsHttp.layer,
  TrafficUsageHttp.layer
)
