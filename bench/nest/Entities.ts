import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from "typeorm"

// The columns that the routes use. The other columns have defaults.

const timestamp = { type: "timestamptz" } as const
const timestampOrNull = { type: "timestamptz", nullable: true } as const
const textOrNull = { type: "text", nullable: true } as const

@Entity("user_account")
export class UserAccount {
  @PrimaryColumn("uuid") id!: string
  @Column(timestampOrNull) deleted_at!: Date | null
}

@Entity("api_key")
export class ApiKey {
  @PrimaryColumn("uuid") id!: string
  @Column("uuid") user_id!: string
  @Column("text") key_hash!: string
  @Column("text", { array: true, nullable: true }) scopes!: Array<string> | null
  @Column("text", { array: true, nullable: true }) allowed_ips!: Array<string> | null
  /** In micro-dollars. */
  @Column("bigint", { nullable: true }) daily_spend_limit_usd!: string | null
  @Column(timestampOrNull) expires_at!: Date | null
  @Column(timestampOrNull) last_used_at!: Date | null
  @ManyToOne(() => UserAccount)
  @JoinColumn({ name: "user_id" })
  user!: UserAccount
}

export interface Prices {
  readonly USD: string | null
  readonly STAR: string | null
}

export interface OfferOption {
  readonly period_days: number
  readonly period_name: string
  readonly period_months: number
  readonly bandwidth_gb: number | null
  readonly prices: Prices
}

@Entity("offer")
export class Offer {
  @PrimaryColumn("int") id!: number
  @Column("text") provider!: string
  @Column("text") external_id!: string
  @Column("text") kind!: string
  @Column("text") mode!: string
  @Column("text") ip_version!: string
  @Column("text") name!: string
  @Column(textOrNull) description!: string | null
  @Column("text") country_code!: string
  @Column("boolean") is_available!: boolean
  @Column("jsonb") locations!: Array<unknown>
  @Column("jsonb") protocols!: Array<string>
  @Column("jsonb") price_per_gb!: Prices
  @Column("jsonb") options!: Array<OfferOption>
  @Column("boolean") listed!: boolean
}

@Entity("wallet")
export class Wallet {
  @PrimaryColumn("uuid") id!: string
  @Column("uuid") user_id!: string
  @Column("text") currency!: string
  /** In micro-dollars, as all amounts. */
  @Column("bigint") balance!: string
}

@Entity("wallet_transaction")
export class WalletTransaction {
  @PrimaryColumn("uuid") id!: string
  @Column("uuid", { nullable: true }) refunded_transaction_id!: string | null
  @Column("uuid", { nullable: true }) api_key_id!: string | null
  @Column("bigint", { nullable: true }) amount_usd!: string | null
  @Column(timestamp) created_at!: Date
}

@Entity("proxy_order")
export class ProxyOrder {
  @PrimaryColumn("uuid") id!: string
  @Column("uuid") user_id!: string
  @Column("uuid", { nullable: true }) api_key_id!: string | null
  @Column("int") offer_id!: number
  @Column("text") provider!: string
  @Column("text") external_id!: string
  @Column("text") status!: string
  @Column("text") proxy_status!: string
  @Column("text") proxy_type!: string
  @Column("text") mode!: string
  @Column("text") ip_version!: string
  @Column("text") protocol!: string
  @Column("text") country!: string
  @Column("int") period_days!: number
  @Column("int") period_months!: number
  @Column("int") tarification_index!: number
  @Column("double precision", { nullable: true }) bandwidth_gb!: number | null
  @Column("text") currency!: string
  @Column("bigint") total!: string
  @Column("bigint") total_usd!: string
  @Column("text") payment_method!: string
  @Column("uuid", { nullable: true }) payment_intent_id!: string | null
  @Column(textOrNull) payment_url!: string | null
  @Column("boolean") auto_renew!: boolean
  @Column(textOrNull) notes!: string | null
  @Column(textOrNull) provider_proxy_id!: string | null
  @Column(textOrNull) host!: string | null
  @Column("int", { nullable: true }) port!: number | null
  @Column(textOrNull) username!: string | null
  @Column(textOrNull) password!: string | null
  @Column("text", { array: true }) whitelisted_ips!: Array<string>
  @Column(timestampOrNull) cycle_started_at!: Date | null
  @Column(timestampOrNull) expiring_at!: Date | null
  @Column(timestampOrNull) expires_at!: Date | null
  @Column(timestampOrNull) sync_at!: Date | null
  @Column(timestamp) provision_at!: Date
  @Column(timestamp) created_at!: Date
  @Column(timestamp) updated_at!: Date
}

@Entity("provisioning_attempt")
export class ProvisioningAttempt {
  @PrimaryColumn("uuid") id!: string
  @Column("uuid") order_id!: string
  @Column("text") provider!: string
  @Column(timestamp) started_at!: Date
  @Column(textOrNull) outcome!: string | null
  @Column(timestampOrNull) finished_at!: Date | null
  @Column(timestampOrNull) look_at!: Date | null
}

@Entity("idempotency_key")
export class IdempotencyKey {
  @PrimaryColumn("uuid") user_id!: string
  @PrimaryColumn("text") operation!: string
  @PrimaryColumn("text") key!: string
  @Column("text") request_hash!: string
  /** The order. */
  @Column("jsonb") reference!: Array<string>
  @Column("jsonb", { nullable: true }) answer!: unknown
  @Column(timestamp) busy_until!: Date
  @Column(timestamp) expires_at!: Date
}

export const entities = [
  ApiKey,
  IdempotencyKey,
  Offer,
  ProvisioningAttempt,
  ProxyOrder,
  UserAccount,
  Wallet,
  WalletTransaction
]
