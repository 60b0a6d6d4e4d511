import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { fromFileSystem } from "effect/sql/MigratorFileSystem"
import { fileURLToPath } from "node:url"

const migrations = fromFileSystem(fileURLToPath(new URL("../../migrations", import.meta.url))).pipe(
  Effect.provide([NodeFileSystem.layer, NodePath.layer])
)

/** Applies the migrations up to `last`. */
export const migratedTo = (last: number) =>
  Migrator.make({})({
    loader: Effect.map(migrations, (all) => all.filter(([id]) => id <= last)),
    table: "effect_sql_migrations"
  })
