import { Data, Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Notes } from "../../orders/OrderFields.ts"
import { Orders } from "../../orders/Orders.ts"
import { ProxyManagement } from "../../orders/proxies/ProxyManagement.ts"
import { Tags } from "../../orders/proxies/Tags.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ShowProxy from "./ShowProxy.ts"

const NotesField = Schema.Trim.pipe(Schema.decodeTo(Notes))

/** Tags stand on lines of their own or between commas. A tag of the API may contain commas: it stays whole in its line. */
const tagsIn = (text: string, present: ReadonlyArray<string>): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .flatMap((line) => (present.includes(line) ? [line] : line.split(",").map((tag) => tag.trim())))
    .filter((tag) => tag !== "")

const decodeTags = Schema.decodeUnknownOption(Tags)

class TagsWrong extends Data.TaggedError("TagsWrong")<{
  readonly status: 422
  readonly detail: string
  readonly field: "tags"
}> {}

const NotesForm = Schema.Struct({ notes: Schema.optionalKey(NotesField) })
const TagsForm = Schema.Struct({ tags: Schema.optionalKey(Schema.String) })

/** The forms that change the notes and the tags of a proxy. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const management = yield* ProxyManagement
    const orders = yield* Orders
    const pages = yield* Pages
    const { orderOf, show } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const setNotes = Effect.fnUntraced(function* (visit: Visit, { notes = "" }: typeof NotesForm.Type) {
      const { id } = yield* orderOf(visit)
      yield* orders.setNotes(visit.user.id, id, notes)
      return ShowProxy.done(visit, id, "notes")
    })

    const setTags = Effect.fnUntraced(function* (visit: Visit, { tags: typed = "" }: typeof TagsForm.Type) {
      const { id, tags: present } = yield* orderOf(visit)
      const tags = Option.getOrUndefined(decodeTags(tagsIn(typed, present)))
      if (tags === undefined)
        return yield* new TagsWrong({ status: 422, detail: "The tags are not valid", field: "tags" })
      yield* management.setTags(callerOf(visit), id, tags)
      return ShowProxy.done(visit, id, "tags")
    })

    yield* router.add(
      "POST",
      `${path}/notes`,
      pages.take({ fields: NotesForm, messages: { notes: text("proxies.notes_wrong") }, again, act: setNotes })
    )
    yield* router.add(
      "POST",
      `${path}/tags`,
      pages.take({ fields: TagsForm, messages: { tags: text("failure.TagsWrong") }, again, act: setTags })
    )
  })
)
