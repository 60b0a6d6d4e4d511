import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { RequestId } from "../platform/requests/RequestId.ts"
import { pageFailed } from "./MessagePages.ts"
import { makeAnswer } from "./PageAnswer.ts"

/** Answers a defect with a page, because people visit these addresses. */
export const middleware = HttpRouter.middleware(
  Effect.map(makeAnswer, (answer) => {
    const answerDefect = Effect.fnUntraced(function* (defect: unknown) {
      const status = yield* RequestDefect.statusOf(defect)
      return yield* answer(status, pageFailed(status, yield* RequestId))
    })
    return (response) => Effect.catchDefect(response, answerDefect)
  })
)
