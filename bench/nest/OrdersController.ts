import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Headers,
  Param,
  ParseUUIDPipe,
  Post,
  Query,
  Res,
  UseGuards
} from "@nestjs/common"
import { Type } from "class-transformer"
import { Equals, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from "class-validator"
import type { Response } from "express"
import { ApiKeyGuard, Caller, NeedsScope } from "./ApiKeyGuard.ts"
import { ApiKey } from "./Entities.ts"
import { Orders } from "./Orders.ts"

export class PlaceOrder {
  @IsInt() offer_id!: number
  @Equals("wallet") payment_method!: "wallet"
  @IsIn(["HTTP", "HTTPS", "SOCKS5"]) protocol: string = "HTTP"
  @Equals(1) quantity: number = 1
  @IsInt() period_days: number = 30
  @IsBoolean() auto_renew: boolean = false
  @IsOptional() @IsString() @MaxLength(1000) notes: string | null = null
}

class Page {
  @Type(() => Number) @IsInt() @Min(1) @Max(100) limit: number = 50
  @Type(() => Number) @IsInt() @Min(0) offset: number = 0
}

@Controller("v1/orders")
@UseGuards(ApiKeyGuard)
export class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Get(":order_id")
  @NeedsScope("orders:read")
  get(@Caller() caller: ApiKey, @Param("order_id", ParseUUIDPipe) id: string) {
    return this.orders.get(caller, id)
  }

  @Get()
  @NeedsScope("orders:read")
  list(@Caller() caller: ApiKey, @Query() { limit, offset }: Page) {
    return this.orders.list(caller, limit, offset)
  }

  @Post()
  @NeedsScope("orders:write")
  async place(
    @Caller() caller: ApiKey,
    @Body() request: PlaceOrder,
    @Headers("idempotency-key") key: string | undefined,
    @Res({ passthrough: true }) response: Response
  ) {
    if (key === undefined || key.length < 1 || key.length > 255)
      throw new BadRequestException({
        detail: "The header Idempotency-Key is missing or too long",
        code: "BAD_REQUEST"
      })
    const { answer, replayed } = await this.orders.place(caller, request, key)
    if (replayed) response.setHeader("idempotency-replayed", "true")
    return answer
  }
}
