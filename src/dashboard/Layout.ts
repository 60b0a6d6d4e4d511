import { hash } from "node:crypto"
import { type Html, escaped } from "./Html.ts"
import { style } from "./Style.ts"

const styleHash = hash("sha256", style.text, "base64")

/** Allows no scripts, frames or resources, only one style by its hash. Forms may lead to this host and to `formTargets`. */
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

/** A complete page with one card in the middle. */
export const page = (title: string, content: Html): Html => document(title, escaped`<main>${content}</main>`)

/** A wider page, for lists. */
export const widePage = (title: string, content: Html): Html =>
  document(title, escaped`<main class="wide">${content}</main>`)
