import { Layer } from "effect"
import * as AccountHttp from "./AccountHttp.ts"
import * as DeletionHttp from "./DeletionHttp.ts"
import * as EmailHttp from "./EmailHttp.ts"
import * as ExportHttp from "./ExportHttp.ts"
import * as NewsHttp from "./NewsHttp.ts"
import * as PasswordHttp from "./PasswordHttp.ts"
import * as SessionsHttp from "./SessionsHttp.ts"

/** The pages of a person's own account. */
export const layer = Layer.mergeAll(
  AccountHttp.layer,
  DeletionHttp.layer,
  EmailHttp.layer,
  ExportHttp.layer,
  NewsHttp.layer,
  PasswordHttp.layer,
  SessionsHttp.layer
)
