const text = { type: "string" } as const
const textOrNull = { type: ["string", "null"] } as const
const number = { type: "number" } as const

const proxyAccess = {
  type: "object",
  properties: {
    id: text,
    host: text,
    port: number,
    username: text,
    password: text,
    protocol: text,
    status: text,
    expires_at: text,
    whitelisted_ips: { type: "array", items: text },
    bandwidth_total_gb: number,
    bandwidth_used_gb: { type: ["number", "null"] }
  }
} as const

const properties = {
  id: text,
  status: text,
  total_usd: number,
  proxy_type: text,
  ip_version: text,
  protocol: text,
  country: text,
  quantity: number,
  period_days: number,
  payment_info: {
    type: "object",
    properties: { payment_method: text, payment_intent_id: textOrNull, payment_url: textOrNull }
  },
  proxy_access: { type: "array", items: proxyAccess }
} as const

const order = { type: "object", properties } as const

const listedOrder = {
  type: "object",
  properties: {
    ...properties,
    proxy_status: text,
    auto_renew: { type: "boolean" },
    expires_at: textOrNull,
    notes: textOrNull,
    created_at: text,
    updated_at: text
  }
} as const

/** The schemas of requests and answers; Fastify makes its validators and JSON writers from them. */
export const orderSchemas = {
  get: {
    params: { type: "object", properties: { order_id: { type: "string", format: "uuid" } } },
    response: { 200: order }
  },
  list: {
    querystring: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 100, default: 50 },
        offset: { type: "integer", minimum: 0, default: 0 }
      }
    },
    response: {
      200: {
        type: "object",
        properties: { orders: { type: "array", items: listedOrder }, total: number, limit: number, offset: number }
      }
    }
  },
  key: {
    type: "object",
    required: ["idempotency-key"],
    properties: { "idempotency-key": { type: "string", minLength: 1, maxLength: 255 } }
  },
  placed: { type: "array", items: order }
} as const

export const orderRequest = {
  type: "object",
  required: ["offer_id", "payment_method"],
  additionalProperties: false,
  properties: {
    offer_id: { type: "integer" },
    payment_method: { const: "wallet" },
    protocol: { type: "string", enum: ["HTTP", "HTTPS", "SOCKS5"], default: "HTTP" },
    quantity: { const: 1, default: 1 },
    period_days: { type: "integer", default: 30 },
    auto_renew: { type: "boolean", default: false },
    notes: { type: ["string", "null"], maxLength: 1000 }
  }
} as const
