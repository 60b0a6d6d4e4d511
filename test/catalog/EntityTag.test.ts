import { assert, describe, it } from "@effect/vitest"
import * as EntityTag from "../../src/catalog/EntityTag.ts"

describe("If-None-Match", () => {
  it.each([['"abc"'], ['W/"abc"'], ["*"], [" * "], ['"x", "abc"'], ['"x",W/"abc" , "y"'], ['"with,comma","abc"']])(
    "%s names the tag",
    (header) => assert.isTrue(EntityTag.isNamedBy('"abc"', header))
  )

  it.each([[""], ["abc"], ['"ABC"'], ['"abcd"'], ['"x, abc"'], ['"*"'], ['"abc']])(
    "%s does not name the tag",
    (header) => assert.isFalse(EntityTag.isNamedBy('"abc"', header))
  )
})
