import { afterEach, assert } from "vitest"
import { discrepancies } from "./Discrepancies.ts"

afterEach(() => assert.deepStrictEqual(discrepancies.splice(0), [], "The OpenAPI document says otherwise"))
