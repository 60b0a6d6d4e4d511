import { Schema } from "effect"
import { oneLine } from "./OneLine.ts"
import { Text } from "./Text.ts"

/** Text of one line, such as a name that lists and logs show. */
export const Line = (minimum: number, maximum: number) =>
  Text(minimum, maximum).check(
    Schema.makeFilter((text) => oneLine(text) === text || "must not contain line breaks or other control characters")
  )
