import { Layer } from "effect"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Mailer } from "../../src/platform/mail/Mailer.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as Services from "../../src/Services.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as TestCrypto from "../support/TestCrypto.ts"

/** The account services without HTTP, over a fresh database. */
export const layer = Services.accounts.pipe(
  Layer.provideMerge([RateLimit.layer, Mailer.layerMemory, Addresses.layer]),
  Layer.provideMerge([TestDatabase.layer, TestCrypto.layer])
)
