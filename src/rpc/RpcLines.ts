import { Result, Schema } from "effect"
import { type RpcMessage, RpcSerialization } from "effect/rpc"
import { badRequest } from "../platform/errors/ErrorAnswer.ts"
import * as JsonBounds from "../platform/fields/JsonBounds.ts"
import { type Inspect, mostCalls } from "./ToolAuthentication.ts"

/** The fields of a line that the service reads. It answers every call, so it ignores a wish for no answer. */
const Line = Schema.fromJsonString(
  Schema.TaggedStruct("Request", {
    id: Schema.Union([Schema.String, Schema.Finite]),
    tag: Schema.String,
    payload: Schema.optionalKey(Schema.Unknown)
  })
)

const decode = Schema.decodeResult(Line)

/** Reads the calls of a body, one JSON message on each line. Fails with the reason when it refuses the whole body. */
const read = (body: string): Result.Result<ReadonlyArray<RpcMessage.RequestEncoded>, string> => {
  const lines = body.split("\n").filter((line) => line.trim() !== "")
  const tooMuch = JsonBounds.faultOf(body)
  if (tooMuch !== undefined) return Result.fail(tooMuch)
  if (lines.length === 0) return Result.fail("The body holds no call")
  if (lines.length > mostCalls) return Result.fail(`A request holds at most ${mostCalls} calls`)
  const calls = lines.map((line) => decode(line))
  const wrong = calls.findIndex(Result.isFailure)
  if (wrong >= 0)
    return Result.fail(
      `Message ${wrong + 1} of the body is not a call; each line is {"_tag": "Request", "id": a string or a number, "tag": a tool, "payload": its arguments}; nothing was done`
    )
  // Null arguments count as absent, like a null argument.
  const requests = calls
    .filter(Result.isSuccess)
    .map(({ success }) => ({ headers: [], ...success, payload: success.payload ?? {} }))
  return new Set(requests.map(({ id }) => id)).size < requests.length
    ? Result.fail("The calls of a request need different ids; nothing was done")
    : Result.succeed(requests)
}

/** Counts the calls of a body, or returns the response that refuses the whole body. */
export const inspect: Inspect = (body) =>
  Result.mapBoth(read(body), { onSuccess: ({ length }) => length, onFailure: badRequest })

const { ndjson } = RpcSerialization

/** The last line may end without a newline. */
export const serialization = RpcSerialization.RpcSerialization.of({
  ...ndjson,
  makeUnsafe: () => ({ ...ndjson.makeUnsafe(), decode: (body) => Result.getOrThrow(read(String(body))) })
})
