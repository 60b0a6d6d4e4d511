import { hash } from "node:crypto"
import { type Html, escaped } from "./Html.ts"
import { style } from "./Style.ts"

const styleHash = hash("sha256", style.text, "base64")

/** No scripts, no frames, no resources: only this one style, known by its hash. Forms lead here and to `formTargets`. */
export const contentSecurityPolicy = (formTargets: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

const document = (title: string, main: Html): Html => escaped`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Proxy Rental Service</title>
<style>${style}</style>
</head>
<body>
<header class="brand">Proxy Rental Service</header>
${main}
</body>
</html>
`

/** A whole page: one card in the middle, the same look everywhere. */
export const page = (title: string, content: Html): Html => document(title, escaped`<main>${content}</main>`)

/** The same for content that is a list. */
export const widePage = (title: string, content: Html): Html =>
  document(title, escaped`<main class="wide">${content}</main>`)
