import { Context } from "effect"
import { type BrandSettings, builtInSettings } from "./BrandSettings.ts"
import { builtInTexts } from "./BuiltInTexts.ts"
import type { SvgElement } from "./Logo.ts"
import { builtInMails, type Mails } from "./MailTemplates.ts"
import type { Block } from "./Markdown.ts"

/** The legal texts that a brand may have, in the order in which pages link to them. */
export const legalNames = ["terms", "privacy", "refunds"] as const

/** The pages that may begin with a text of the brand. */
export const pageNames = ["sign-in", "register"] as const

export interface LegalText {
  readonly name: (typeof legalNames)[number]
  readonly title: string
  readonly blocks: ReadonlyArray<Block>
}

/** The name, the looks and the words of the service, as customers see them (docs/brand.md). */
export interface Brand extends BrandSettings {
  readonly logo: SvgElement | undefined
  readonly mails: Mails
  readonly legal: ReadonlyArray<LegalText>
  /** The texts of the pages and notifications. */
  readonly texts: typeof builtInTexts
  readonly pages: Readonly<Partial<Record<(typeof pageNames)[number], ReadonlyArray<Block>>>>
}

/** The brand without a folder of the operator. */
export const builtIn: Brand = {
  ...builtInSettings,
  logo: undefined,
  mails: builtInMails,
  legal: [],
  pages: {},
  texts: builtInTexts
}

/** The brand of this process. `BrandFolder.layer` reads it once, at the start. */
export const Brand = Context.Reference<Brand>("app/brand/Brand", { defaultValue: () => builtIn })
