import { Effect, Option, Result } from "effect"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"

const files: Check = {
  id: "brand.files",
  severity: "error",
  run: Effect.gen(function* () {
    const read = yield* Effect.result(BrandFolder.read)
    if (Result.isFailure(read))
      return failed(read.failure._tag === "BrandInvalid" ? read.failure.message : ExplainSetting.explain(read.failure))
    const { support_email, support_url } = read.success
    const isReachable = support_email !== undefined || support_url !== undefined
    if (isReachable || (yield* RealMoney.gateways).length === 0) return undefined
    const missing = Option.isSome(yield* BrandFolder.setting)
      ? "brand.json has no support_email"
      : "BRAND_DIR is not set"
    return failed(
      `${missing}, so no page and no mail tells customers how to reach your support; set support_email in brand.json (docs/brand.md)`,
      "warning"
    )
  })
}

export const checks: ReadonlyArray<Check> = [files]
