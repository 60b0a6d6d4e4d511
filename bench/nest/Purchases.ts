import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException
} from "@nestjs/common"
import { randomUUIDv7 } from "node:crypto"
import { DataSource, type EntityManager, IsNull } from "typeorm"
import * as InstantProvider from "../peer/InstantProvider.ts"
import { view } from "../peer/PeerOrderView.ts"
import { Catalog } from "./Catalog.ts"
import {
  type ApiKey,
  IdempotencyKey,
  type Offer,
  type OfferOption,
  ProvisioningAttempt,
  ProxyOrder,
  Wallet,
  WalletTransaction
} from "./Entities.ts"
import type { PlaceOrder } from "./OrdersController.ts"

interface Sold {
  readonly offer: Offer
  readonly option: OfferOption
  /** In micro-dollars. */
  readonly price: bigint
}

const dayMillis = 86_400_000
const hourMillis = 3_600_000

const after = (time: Date, millis: number) => new Date(time.getTime() + millis)

/** The time until which a request has its idempotency key for itself. */
export const soon = (now: Date) => after(now, 30_000)

const midnight = (now: Date) => new Date(now.getTime() - (now.getTime() % dayMillis))

/** The triggers of the tables want both in one statement. */
const debitStatement = `
  WITH debited AS (
    UPDATE wallet SET balance = balance - $5, seq = coalesce(seq, 0) + 1, updated_at = $7 WHERE id = $1
    RETURNING id, user_id, balance, seq
  )
  INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, payment_method,
    description, order_id, reference, api_key_id, amount_usd, seq, balance_before, balance_after, created_at, updated_at)
  SELECT $2, user_id, id, -$5::bigint, 'USD', 'payment', 'completed', 'wallet', $6, $3::uuid, $3, $4, $5, seq,
    balance + $5, balance, $7, $7
  FROM debited`

/** Purchases from the wallet: a transaction pays, then the provider is asked, and another transaction settles. */
@Injectable()
export class Purchases {
  constructor(
    private readonly database: DataSource,
    private readonly catalog: Catalog
  ) {}

  async buy(caller: ApiKey, request: PlaceOrder, key: string, request_hash: string) {
    const now = new Date()
    const sold = this.sold(request)
    const order = await this.database.transaction(async (manager) => {
      const wallet = await this.lock(manager, caller, sold.price, now)
      const order = this.order(manager, caller, request, sold, now)
      await manager.insert(IdempotencyKey, {
        user_id: caller.user_id,
        operation: "orders.create",
        key,
        request_hash,
        reference: [order.id],
        busy_until: soon(now),
        expires_at: after(now, dayMillis)
      })
      await manager.insert(ProxyOrder, order)
      await this.debit(manager, wallet, caller, order, sold)
      await manager.insert(ProvisioningAttempt, {
        id: randomUUIDv7(),
        order_id: order.id,
        provider: order.provider,
        started_at: now
      })
      return order
    })
    return this.settle(order, key)
  }

  /** Delivers a paid order, and keeps the answer with the client's key. */
  async settle(order: ProxyOrder, key: string) {
    const now = new Date()
    const expires_at = after(now, order.period_days * dayMillis)
    const delivered = {
      ...InstantProvider.proxyOf(order.id),
      status: "provisioned",
      proxy_status: "active",
      cycle_started_at: now,
      expiring_at: after(expires_at, -Math.min(3, order.period_days * 0.2) * dayMillis),
      expires_at,
      sync_at: after(now, hourMillis),
      updated_at: now
    }
    const answer = [view(order.status === "paid" ? { ...order, ...delivered } : order)]
    await this.database.transaction(async (manager) => {
      const { id, user_id } = order
      await manager.update(ProxyOrder, { id, status: "paid" }, delivered)
      await manager.update(
        ProvisioningAttempt,
        { order_id: id, outcome: IsNull() },
        { outcome: "provisioned", finished_at: now, look_at: now }
      )
      await manager.update(IdempotencyKey, { user_id, operation: "orders.create", key, answer: IsNull() }, { answer })
    })
    return answer
  }

  private sold({ offer_id, period_days, protocol }: PlaceOrder): Sold {
    const offer = this.catalog.offer(offer_id)
    if (offer === undefined) throw new NotFoundException({ detail: "No such offer", code: "NOT_FOUND" })
    const option = offer.options.find((option) => option.period_days === period_days)
    if (option === undefined || option.prices.USD === null || !offer.protocols.includes(protocol))
      throw new BadRequestException({ detail: "The offer is not sold like that", code: "BAD_REQUEST" })
    if (!offer.is_available) throw new ConflictException({ detail: "The offer is out of stock", code: "CONFLICT" })
    return { offer, option, price: BigInt(option.prices.USD) }
  }

  /** Locks the wallet, and checks its balance and the limit of the key. */
  private async lock(manager: EntityManager, caller: ApiKey, price: bigint, now: Date) {
    const where = { user_id: caller.user_id, currency: "USD" }
    const wallet = await manager.findOne(Wallet, { where, lock: { mode: "pessimistic_write" } })
    if (wallet === null || BigInt(wallet.balance) < price)
      throw new ConflictException({ detail: "The wallet has too little money", code: "CONFLICT" })
    if (caller.daily_spend_limit_usd !== null) {
      const spent = await this.spentToday(manager, caller, now)
      if (spent + price > BigInt(caller.daily_spend_limit_usd))
        throw new ForbiddenException({ detail: "This purchase exceeds the daily limit of the key", code: "FORBIDDEN" })
    }
    return wallet
  }

  private async spentToday(manager: EntityManager, { id }: ApiKey, now: Date) {
    const found = await manager
      .createQueryBuilder(WalletTransaction, "paid")
      .leftJoin(WalletTransaction, "refund", "refund.refunded_transaction_id = paid.id")
      .select("coalesce(sum(paid.amount_usd), 0)", "spent")
      .where("paid.api_key_id = :id AND paid.created_at >= :since", { id, since: midnight(now) })
      .andWhere("refund.id IS NULL")
      .getRawOne<{ spent: string }>()
    return BigInt(found?.spent ?? 0)
  }

  private order(manager: EntityManager, caller: ApiKey, request: PlaceOrder, sold: Sold, now: Date) {
    const { offer, option, price } = sold
    return manager.create(ProxyOrder, {
      id: randomUUIDv7(),
      user_id: caller.user_id,
      api_key_id: caller.id,
      offer_id: offer.id,
      provider: offer.provider,
      external_id: offer.external_id,
      status: "paid",
      proxy_status: "pending",
      proxy_type: offer.kind,
      mode: offer.mode,
      ip_version: offer.ip_version,
      protocol: request.protocol,
      country: offer.country_code,
      period_days: option.period_days,
      period_months: option.period_months,
      tarification_index: 0,
      bandwidth_gb: option.bandwidth_gb,
      currency: "USD",
      total: String(price),
      total_usd: String(price),
      payment_method: "wallet",
      payment_intent_id: null,
      payment_url: null,
      auto_renew: request.auto_renew,
      notes: request.notes,
      provider_proxy_id: null,
      host: null,
      port: null,
      username: null,
      password: null,
      whitelisted_ips: [],
      provision_at: after(now, 15_000),
      created_at: now,
      updated_at: now
    })
  }

  /** Takes the price from the wallet and writes the ledger entry. */
  private async debit(
    manager: EntityManager,
    wallet: Wallet,
    caller: ApiKey,
    order: ProxyOrder,
    { offer, option, price }: Sold
  ) {
    const description = `${offer.name}, ${option.period_name}`
    const ids = [wallet.id, randomUUIDv7(), order.id, caller.id]
    await manager.query(debitStatement, [...ids, String(price), description, order.created_at])
  }
}
