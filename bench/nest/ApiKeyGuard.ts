import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException
} from "@nestjs/common"
import { Reflector } from "@nestjs/core"
import { InjectRepository } from "@nestjs/typeorm"
import type { Request, Response } from "express"
import { hash } from "node:crypto"
import { BlockList, isIPv6 } from "node:net"
import { Repository } from "typeorm"
import { ApiKey } from "./Entities.ts"
import { RateLimit } from "./RateLimit.ts"

/** The scope that a route needs. */
export const NeedsScope = Reflector.createDecorator<string>()

/** The caller's API key. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request: Request & { caller?: ApiKey } = context.switchToHttp().getRequest()
  return request.caller
})

const shape = /^prk_[\w-]{43}$/
const minute = 60_000

const isAllowed = (networks: ReadonlyArray<string>, address: string) => {
  const list = new BlockList()
  for (const network of networks) {
    const [first = "", prefix = isIPv6(first) ? "128" : "32"] = network.split("/")
    list.addSubnet(first, Number(prefix), isIPv6(first) ? "ipv6" : "ipv4")
  }
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4")
}

/** Finds the API key by its SHA-256, and checks its end, allowed addresses and scope. Records its use to the minute. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly reflector: Reflector,
    private readonly rateLimit: RateLimit
  ) {}

  async canActivate(context: ExecutionContext) {
    const http = context.switchToHttp()
    const request: Request & { caller?: ApiKey } = http.getRequest()
    const response: Response = http.getResponse()
    const address = request.ip ?? ""
    const key = await this.find(request.headers["x-api-key"])
    if (key === null) {
      this.rateLimit.count(response, `address:${address}`)
      throw new UnauthorizedException({ detail: "Missing, expired or malformed credentials", code: "UNAUTHORIZED" })
    }
    if (key.allowed_ips !== null && !isAllowed(key.allowed_ips, address)) {
      this.rateLimit.count(response, `address:${address}`)
      throw new ForbiddenException({ detail: "The key may not be used from this address", code: "FORBIDDEN" })
    }
    this.rateLimit.count(response, `account:${key.user_id}`)
    const scope = this.reflector.get(NeedsScope, context.getHandler())
    if (key.scopes !== null && !key.scopes.includes(scope))
      throw new ForbiddenException({ detail: "The key lacks the scope", code: "INSUFFICIENT_SCOPE" })
    await this.markUsed(key)
    request.caller = key
    return true
  }

  private async find(given: string | Array<string> | undefined) {
    if (typeof given !== "string" || !shape.test(given)) return null
    return this.keys
      .createQueryBuilder("key")
      .innerJoin("key.user", "user")
      .where("key.key_hash = :hash", { hash: hash("sha256", given) })
      .andWhere("(key.expires_at IS NULL OR key.expires_at > :now)", { now: new Date() })
      .andWhere("user.deleted_at IS NULL")
      .getOne()
  }

  private async markUsed(key: ApiKey) {
    const now = new Date()
    if (key.last_used_at !== null && now.getTime() - key.last_used_at.getTime() < minute) return
    await this.keys.update(key.id, { last_used_at: now })
  }
}
