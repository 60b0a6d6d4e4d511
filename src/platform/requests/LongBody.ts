import { ByteSize, Context } from "effect"

/** Size limit of a request that contains a file of the shop, which has at most 4 MiB: forms need up to four bytes for one. */
export const longBody = ByteSize.mebibytes(16)

/**
 * Size limit of the body of an operation that takes more than `bodyLimit`, as an annotation of the endpoint. Its body is read
 * only when the caller may call it.
 */
export const LongBody = Context.Reference<ByteSize.ByteSize | undefined>("app/platform/LongBody", {
  defaultValue: () => undefined
})
