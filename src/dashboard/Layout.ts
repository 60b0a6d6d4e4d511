import { hash } from "node:crypto"
import { type Html, escaped } from "./Html.ts"

const style = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --text: #1c2230; --quiet: #5a6275; --line: #dde1e8;
  --accent: #1f5fd0; --on-accent: #fff; --note: #fff4d6; --on-note: #5b4300; }
@media (prefers-color-scheme: dark) { :root { --ground: #11141b; --card: #1a1f2a; --text: #e8ebf2; --quiet: #a3abbd;
  --line: #323a4a; --accent: #7aa8ff; --on-accent: #0b1020; --note: #3a2f10; --on-note: #ffe3a1; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
a { color: var(--accent); }
.note { padding: .5rem .75rem; border-radius: .5rem; background: var(--note); color: var(--on-note); font-weight: 600; }
.amount { margin: 0 0 1rem; font-size: 2.25rem; font-weight: 700; line-height: 1.2; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 0 0 1.5rem; }
dt { color: var(--quiet); }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: .75rem; }
button { flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`

/** No scripts, no frames, no resources: only this one style, known by its hash. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/** A whole page: one card in the middle, the same look everywhere. */
export const page = (title: string, content: Html): Html => escaped`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Proxy Rental Service</title>
<style>${style}</style>
</head>
<body>
<main>${content}</main>
</body>
</html>
`
