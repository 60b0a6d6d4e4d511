import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

const options = {
  contentType: "application/json",
  headers: {
    "cache-control": "private, no-store",
    "content-disposition": 'attachment; filename="account.json"',
    "x-content-type-options": "nosniff"
  }
}

/** The answer with the file of an account, or its whole text, which a browser saves and no cache keeps. */
export const exportAnswer = (file: Stream.Stream<string> | string): HttpServerResponse.HttpServerResponse =>
  typeof file === "string"
    ? HttpServerResponse.text(file, options)
    : HttpServerResponse.stream(Stream.encodeText(file), options)
