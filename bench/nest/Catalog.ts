import { Controller, Get, Injectable, type OnModuleInit, Req, Res } from "@nestjs/common"
import { InjectRepository } from "@nestjs/typeorm"
import type { Request, Response } from "express"
import { Repository } from "typeorm"
import { catalogAnswer } from "../peer/PeerCatalog.ts"
import { Offer } from "./Entities.ts"
import { RateLimit } from "./RateLimit.ts"

const lookAgainMillis = 10_000

/** The offers, read every ten seconds. */
@Injectable()
export class Catalog implements OnModuleInit {
  private offers = new Map<number, Offer>()
  private answer: ReturnType<typeof catalogAnswer> = { kinds: [], total: 0 }

  constructor(@InjectRepository(Offer) private readonly repository: Repository<Offer>) {}

  async onModuleInit() {
    await this.load()
    setInterval(() => void this.load().catch((error) => process.stderr.write(`${String(error)}\n`)), lookAgainMillis)
  }

  current() {
    return this.answer
  }

  offer(id: number) {
    return this.offers.get(id)
  }

  private async load() {
    const offers = await this.repository.find({ where: { listed: true }, order: { id: "ASC" } })
    this.offers = new Map(offers.map((offer) => [offer.id, offer]))
    this.answer = catalogAnswer(offers)
  }
}

@Controller("v1/catalog")
export class CatalogController {
  constructor(
    private readonly catalog: Catalog,
    private readonly rateLimit: RateLimit
  ) {}

  @Get()
  get(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    this.rateLimit.count(response, `address:${request.ip}`)
    response.setHeader("cache-control", "no-cache")
    return this.catalog.current()
  }
}
