import { stringify } from "yaml"
import type { ShopFile } from "./ShopFile.ts"

/** Writes the text of a shop file. */
export const written = (file: typeof ShopFile.Encoded): string =>
  stringify(file, { aliasDuplicateObjects: false, lineWidth: 120 })
