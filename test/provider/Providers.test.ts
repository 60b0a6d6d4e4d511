import { assert, it } from "@effect/vitest"
import { Providers } from "../../src/provider/Providers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"

it("Providers finds each enabled provider by its name", () => {
  const [one, two] = ["one", "two"].map((name) => MemoryProvider.make({ name }).provider)
  const providers = Providers.from([one!, two!])
  assert.strictEqual(providers.get("two"), two)
  assert.isUndefined(providers.get("three"))
})
