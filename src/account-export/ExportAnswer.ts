import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** The answer with the file of an account, which a browser saves and no cache keeps. */
export const exportAnswer = (file: Stream.Stream<string>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(Stream.encodeText(file), {
    contentType: "application/json",
    headers: {
      "cache-control": "no-store",
      "content-disposition": 'attachment; filename="account.json"',
      "x-content-type-options": "nosniff"
    }
  })
