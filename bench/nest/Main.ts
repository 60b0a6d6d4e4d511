import "reflect-metadata"
import { Module, ValidationPipe } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { TypeOrmModule } from "@nestjs/typeorm"
import type { NextFunction, Request, Response } from "express"
import { randomUUIDv7 } from "node:crypto"
import { answerBenchmark } from "../peer/Usage.ts"
import { ApiKeyGuard } from "./ApiKeyGuard.ts"
import { Catalog, CatalogController } from "./Catalog.ts"
import { entities } from "./Entities.ts"
import { Orders } from "./Orders.ts"
import { OrdersController } from "./OrdersController.ts"
import { Purchases } from "./Purchases.ts"
import { RateLimit } from "./RateLimit.ts"

// The same routes over the same tables with NestJS and TypeORM, as a usual service has them. `PORT` and `DATABASE_URL` as
// for the service.

answerBenchmark()

const url = new URL(process.env["DATABASE_URL"] ?? "")

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: "postgres",
      host: url.searchParams.get("host") ?? url.hostname,
      port: Number(url.searchParams.get("port")),
      username: url.searchParams.get("user") ?? url.username,
      database: url.pathname.slice(1),
      entities,
      poolSize: 20
    }),
    TypeOrmModule.forFeature(entities)
  ],
  controllers: [CatalogController, OrdersController],
  providers: [ApiKeyGuard, Catalog, Orders, Purchases, RateLimit]
})
class Shop {}

const sane = /^[\w.~:+/=-]{1,128}$/

const app = await NestFactory.create(Shop, { logger: ["error", "warn"] })
app.use((request: Request, response: Response, next: NextFunction) => {
  const given = request.headers["x-request-id"]
  response.setHeader("x-request-id", typeof given === "string" && sane.test(given) ? given : randomUUIDv7())
  next()
})
app.enableCors({ exposedHeaders: "*" })
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }))
await app.listen(Number(process.env["PORT"]), "127.0.0.1")
