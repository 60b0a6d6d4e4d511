/** An order as its table has it. */
export interface Row {
  readonly id: string
  readonly user_id: string
  readonly status: string
  readonly proxy_status: string
  readonly total_usd: string
  readonly proxy_type: string
  readonly ip_version: string
  readonly protocol: string
  readonly country: string
  readonly period_days: number
  readonly bandwidth_gb: number | null
  readonly payment_method: string
  readonly payment_intent_id: string | null
  readonly payment_url: string | null
  readonly auto_renew: boolean
  readonly notes: string | null
  readonly provider_proxy_id: string | null
  readonly host: string | null
  readonly port: number | null
  readonly username: string | null
  readonly password: string | null
  readonly whitelisted_ips: ReadonlyArray<string>
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type Shown = Omit<Row, "user_id" | "auto_renew" | "notes" | "created_at" | "updated_at">

const proxyAccess = (row: Shown) =>
  row.provider_proxy_id === null || (row.proxy_status !== "active" && row.proxy_status !== "expiring")
    ? []
    : [
        {
          id: row.provider_proxy_id,
          host: row.host,
          port: row.port,
          username: row.username,
          password: row.password,
          protocol: row.protocol,
          status: row.proxy_status,
          expires_at: row.expires_at?.toISOString(),
          whitelisted_ips: row.whitelisted_ips,
          bandwidth_total_gb: row.bandwidth_gb ?? 0,
          bandwidth_used_gb: null
        }
      ]

export const view = (row: Shown) => ({
  id: row.id,
  status: row.status,
  total_usd: Number(row.total_usd) / 1e6,
  proxy_type: row.proxy_type,
  ip_version: row.ip_version,
  protocol: row.protocol,
  country: row.country,
  quantity: 1,
  period_days: row.period_days,
  payment_info: {
    payment_method: row.payment_method,
    payment_intent_id: row.payment_intent_id,
    payment_url: row.payment_url
  },
  proxy_access: proxyAccess(row)
})

export const listed = (row: Row) => ({
  ...view(row),
  proxy_status: row.proxy_status,
  auto_renew: row.auto_renew,
  expires_at: row.expires_at?.toISOString() ?? null,
  notes: row.notes,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
