import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as TestApp from "../support/TestApp.ts"
import { articleNames, shops } from "./AnyShop.ts"
import * as ShopWorld from "./ShopWorld.ts"

const services = Layer.mergeAll(CatalogWriter.layer, GatewayProxies.layer, Shop.layer).pipe(
  Layer.provideMerge(TestApp.layerGateway({}))
)

const wanted = fc.record({
  article: fc.constantFrom(...articleNames),
  option: fc.nat(2),
  quantity: fc.constantFrom(1, 1, 2)
})
const several = fc.array(wanted, { minLength: 2, maxLength: 4 })
const tag = <const Tag extends string>(...tags: ReadonlyArray<Tag>) => fc.constantFrom(...tags)

const action: fc.Arbitrary<ShopWorld.Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ _tag: tag("Apply", "ApplyPrices"), shop: shops }) },
  { weight: 2, arbitrary: fc.record({ _tag: tag("ApplyWhileOrdering"), shop: shops, wanted: several }) },
  { weight: 8, arbitrary: fc.record({ _tag: tag("Order"), wanted }) },
  { weight: 4, arbitrary: fc.record({ _tag: tag("Extend", "AddTraffic", "Rotate", "End"), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ _tag: tag("Sync") }) }
)

const sequences = fc
  .tuple(shops, fc.array(action, { minLength: 8, maxLength: 20 }))
  .map(([shop, rest]): ReadonlyArray<ShopWorld.Action> => [{ _tag: "Apply", shop }, ...rest])

/** Sequences with sales and extensions come first, because a slow machine tries few others. */
const examples = [12, 13, 16]
  .flatMap((seed) => fc.sample(sequences, { seed, numRuns: 1 }))
  .map((one): [typeof one] => [one])

/** Ends the tries, not one of them. */
const interruptAfterTimeLimit = 8_000

layer(services, { excludeTestServices: true })(
  "Any sequence of applies, syncs, orders, extensions, rotations and ends",
  (it) => {
    it.effect(
      "keeps what is running, sells each article from its own pool at the shown price, and shows what is sold out",
      () =>
        Effect.gen(function* () {
          const world = yield* ShopWorld.make
          const run = Effect.fnUntraced(function* (sequence: ReadonlyArray<ShopWorld.Action>) {
            for (const action of sequence) yield* Effect.andThen(world.act(action), world.check)
            yield* world.endAll
          })
          const context = yield* Effect.context<Effect.Services<ReturnType<typeof run>>>()
          const property = fc.asyncProperty(sequences, (sequence) => Effect.runPromiseWith(context)(run(sequence)))
          yield* Effect.promise(() => fc.assert(property, { numRuns: 40, interruptAfterTimeLimit, examples }))
          for (const what of ["applied", "provisioned", "Extend"]) assert.isAbove(world.done[what] ?? 0, 0, what)
        }),
      120_000
    )
  }
)
