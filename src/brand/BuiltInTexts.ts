import { german } from "./German.ts"
import type { LanguageCode } from "./LanguageCode.ts"
import { pageTexts, type PageTexts } from "./PageTexts.ts"

/** The texts of pages and notifications that a brand may replace, by language. */
export const builtInTexts: Readonly<Record<LanguageCode, PageTexts>> = { en: pageTexts, de: german }
