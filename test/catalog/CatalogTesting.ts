import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { CatalogRepo } from "../../src/catalog/CatalogRepo.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** The catalog over a separate database. */
export const everything = Layer.mergeAll(CatalogRepo.layer, CatalogWriter.layer, Catalog.layer).pipe(
  Layer.provideMerge(Flags.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(NodeCrypto.layer)
)

/** Empties the catalog and starts a separate provider for each test. */
export const start = Effect.fnUntraced(function* (...offers: ReadonlyArray<ProviderOffer>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE offer SET listed = false, renewable = false`
  const memory = MemoryProvider.make({ name: `memory-${crypto.randomUUID()}`, offers })
  const sync = CatalogSync.run.pipe(Effect.provideService(Providers, Providers.from([memory.provider])))
  return { memory, sync }
})
