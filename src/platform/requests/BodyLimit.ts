import { ByteSize } from "effect"

/** The largest body of any request. The longest lists that an operation takes fit into it in every spelling. */
export const bodyLimit = ByteSize.kibibytes(64)
