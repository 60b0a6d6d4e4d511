import { Text } from "../../platform/fields/Text.ts"

const examples: [string] = ["correct horse battery staple"]

export const NewPassword = Text(8, 128).annotate({ description: "8 to 128 characters", examples })

/** A password to compare. Its length does not matter: it is either right or wrong. */
export const GivenPassword = Text(1, 128).annotate({ examples })
