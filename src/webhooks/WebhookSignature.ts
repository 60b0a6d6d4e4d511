import { createHmac, hash } from "node:crypto"

/**
 * `v1=` and the hex HMAC-SHA256 of `{timestamp}.{delivery_id}.{hex SHA-256 of the body}`, keyed with the whole secret
 * (docs/contract.md, "Webhooks"). `timestamp` is in Unix seconds.
 */
export const sign = (input: {
  readonly secret: string
  readonly timestamp: number
  readonly delivery_id: string
  readonly body: string
}): string =>
  `v1=${createHmac("sha256", input.secret)
    .update(`${input.timestamp}.${input.delivery_id}.${hash("sha256", input.body)}`)
    .digest("hex")}`
