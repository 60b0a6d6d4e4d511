import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Announcements } from "../../src/announcements/Announcements.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { newAnnouncement, newReader, wanted } from "./AnnouncementTesting.ts"

layer(Announcements.layer.pipe(Layer.provideMerge(TestDatabase.layer)))("Announcements", (it) => {
  it.effect("show an open maintenance window first, then the next ones", () =>
    Effect.gen(function* () {
      const announcements = yield* Announcements
      const now = yield* DateTime.now
      const window = (from: number, title_en: string) =>
        Effect.flatMap(
          wanted({
            kind: "maintenance",
            title_en,
            starts_at: DateTime.add(now, { hours: from }),
            ends_at: DateTime.add(now, { hours: from + 2 })
          }),
          announcements.publish
        )
      const all = [
        yield* window(0, "Open"),
        yield* window(5, "Later"),
        yield* window(3, "Next"),
        yield* window(9, "Last")
      ]
      const titles = Effect.map(announcements.current(null), (current) => current.map(({ title_en }) => title_en))
      assert.deepStrictEqual(yield* titles, ["Open", "Next", "Later"])
      for (const { id } of all) yield* announcements.end(id, { by: "a test", reason: "over" })
      assert.deepStrictEqual(yield* titles, [])
    })
  )

  it.effect("show what another instance has published after 5 seconds, to everybody or to an account", () =>
    Effect.gen(function* () {
      const announcements = yield* Announcements
      const user = yield* newReader(1)
      const other = yield* newReader(2)
      const titles = (id: typeof user | null) =>
        Effect.map(announcements.current(id), (current) => current.map(({ title_en }) => title_en))
      assert.deepStrictEqual(yield* titles(user), [])
      yield* newAnnouncement({ title_en: "For all" })
      yield* newAnnouncement({ title_en: "For one", audience: "account", audience_id: user })
      assert.deepStrictEqual(yield* titles(user), [])
      yield* TestClock.adjust("6 seconds")
      assert.sameMembers(yield* titles(user), ["For all", "For one"])
      assert.deepStrictEqual(yield* titles(other), ["For all"])
      assert.deepStrictEqual(yield* titles(null), ["For all"])
    })
  )
})
