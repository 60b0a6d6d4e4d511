import { ByteSize } from "effect"

/** Size limit of the body of a request. The longest list of any operation fits into it in every spelling. */
export const bodyLimit = ByteSize.kibibytes(64)
