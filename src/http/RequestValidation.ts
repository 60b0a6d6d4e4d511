import { Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { ApiError } from "../platform/errors/ApiError.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"

export class BodyTooLarge extends ApiError<BodyTooLarge>()("BodyTooLarge", {
  status: 413,
  detail: "The body is larger than 64 KiB or could not be read"
}) {}

/** Text of the response to a body of another content type. */
export const unsupportedMediaTypeText = "Unsupported Content-Type; send application/json"

export const unsupportedMediaType = errorAnswer({
  status: 415,
  code: "VALIDATION_ERROR",
  detail: unsupportedMediaTypeText
})

/** Declares the refusals of requests that do not fit their operation. `ApiOperation` decodes and refuses. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()("app/http/RequestValidation", {
  error: [RequestInvalid, BodyTooLarge]
}) {}

export const layer = Layer.succeed(RequestValidation, (handled) => handled)
