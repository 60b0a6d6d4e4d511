import { HttpServerResponse } from "effect/http"
import type { ExportFile } from "./ExportFile.ts"

/** The answer with a file that a browser saves and no cache keeps. */
export const exportAnswer = ({ body, contentType, name }: ExportFile): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    contentType,
    headers: {
      "cache-control": "private, no-store",
      "content-disposition": `attachment; filename="${name}"`,
      "x-content-type-options": "nosniff"
    }
  })
