import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Plant } from "./Plant.ts"

const copied = ["src", "migrations", "shop.example.yaml"]
/**
 * The prefix of a copy's name. Copies are within the checkout, so that Node finds the dependencies; git ignores them.
 */
const prefix = ".faults-"

/** The texts of a plant that do not occur exactly once: the product has changed, and the plant must follow. */
export const misfits = (root: string, { edits, name }: Plant): ReadonlyArray<string> =>
  edits.flatMap(({ file, find }) => {
    const times = fs.readFileSync(path.join(root, file), "utf8").split(find).length - 1
    return times === 1 ? [] : [`${name}: ${file} has ${times} times: ${find}`]
  })

/** A copy of the program without a safeguard, until the scope closes; answers its directory. */
export const plant = Effect.fnUntraced(function* (root: string, planted: Plant) {
  const [misfit] = misfits(root, planted)
  if (misfit !== undefined) return yield* Effect.die(new Error(misfit))
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const directory = fs.mkdtempSync(path.join(root, `${prefix}${planted.name}-`))
      for (const name of copied) fs.cpSync(path.join(root, name), path.join(directory, name), { recursive: true })
      for (const { file, find, replace } of planted.edits) {
        const at = path.join(directory, file)
        fs.writeFileSync(
          at,
          fs.readFileSync(at, "utf8").replace(find, () => replace)
        )
      }
      return directory
    }),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
})
