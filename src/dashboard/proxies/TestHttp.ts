import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { ProxyTests } from "../../orders/proxies/ProxyTests.ts"
import type { Faults } from "../../pages/Field.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import * as ShowProxy from "./ShowProxy.ts"

/** The test of a proxy. Its result is nowhere stored, so it is the answer. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* Pages
    const tests = yield* ProxyTests
    const { orderOf, show } = yield* ShowProxy.make
    const path = yield* pathOf("proxies")

    const again = (visit: Visit, faults: Faults) => show(visit, { faults })

    const test = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = yield* orderOf(visit)
      return yield* show(visit, { test: yield* tests.run(visit.user.id, id) })
    })

    yield* router.add(
      "POST",
      `${path}/:order_id/test`,
      pages.take({ fields: Schema.Struct({}), messages: {}, again, act: test })
    )
  })
)
