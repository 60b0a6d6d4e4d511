import { ConflictException, ForbiddenException, Injectable, NotFoundException } from "@nestjs/common"
import { InjectRepository } from "@nestjs/typeorm"
import { hash } from "node:crypto"
import { LessThanOrEqual, QueryFailedError, Repository } from "typeorm"
import { listed, view } from "../peer/PeerOrderView.ts"
import { type ApiKey, IdempotencyKey, ProxyOrder } from "./Entities.ts"
import type { PlaceOrder } from "./OrdersController.ts"
import { Purchases, soon } from "./Purchases.ts"

const isUsedKey = (error: unknown) =>
  error instanceof QueryFailedError &&
  "constraint" in error.driverError &&
  error.driverError.constraint === "idempotency_key_pkey"

@Injectable()
export class Orders {
  constructor(
    @InjectRepository(ProxyOrder) private readonly orders: Repository<ProxyOrder>,
    @InjectRepository(IdempotencyKey) private readonly claims: Repository<IdempotencyKey>,
    private readonly purchases: Purchases
  ) {}

  async get(caller: ApiKey, id: string) {
    const order = await this.orders.findOneBy({ id })
    if (order === null) throw new NotFoundException({ detail: "There is no such order", code: "NOT_FOUND" })
    if (order.user_id !== caller.user_id)
      throw new ForbiddenException({ detail: "This order belongs to another account", code: "FORBIDDEN" })
    return view(order)
  }

  async list({ user_id }: ApiKey, limit: number, offset: number) {
    const [orders, total] = await this.orders.findAndCount({
      where: { user_id },
      order: { created_at: "DESC", id: "DESC" },
      take: limit,
      skip: offset
    })
    return { orders: orders.map(listed), total, limit, offset }
  }

  async place(caller: ApiKey, request: PlaceOrder, key: string) {
    const request_hash = hash("sha256", JSON.stringify(request))
    const kept = await this.replay(caller, key, request_hash)
    if (kept !== undefined) return { answer: kept, replayed: true }
    try {
      return { answer: await this.purchases.buy(caller, request, key, request_hash), replayed: false }
    } catch (error) {
      if (!isUsedKey(error)) throw error
      return { answer: await this.replay(caller, key, request_hash), replayed: true }
    }
  }

  /** The answer to a used key: the stored answer, or that of an unfinished request, finished here. */
  private async replay({ user_id }: ApiKey, key: string, request_hash: string) {
    const at = { user_id, operation: "orders.create", key }
    const now = new Date()
    const claim = await this.claims.findOneBy(at)
    if (claim === null) return undefined
    if (claim.expires_at <= now) {
      await this.claims.delete({ ...at, expires_at: LessThanOrEqual(now) })
      return undefined
    }
    if (claim.request_hash !== request_hash)
      throw new ConflictException({ detail: "This key was used with a different request", code: "CONFLICT" })
    if (claim.answer !== null) return claim.answer
    const taken = await this.claims.update({ ...at, busy_until: LessThanOrEqual(now) }, { busy_until: soon(now) })
    const order = taken.affected === 1 ? await this.orders.findOneBy({ id: claim.reference[0]! }) : null
    if (order === null)
      throw new ConflictException({ detail: "The first request with this key is still running", code: "CONFLICT" })
    return this.purchases.settle(order, key)
  }
}
