import { card, type Shades, tinted } from "../brand/Colours.ts"
import { type Html, escaped } from "./Html.ts"

/** The colours of light and dark pages. They meet WCAG AA. */
const coloursWith = (accent: Shades): Html => escaped`
:root { color-scheme: light dark; --ground: #eef1f6; --card: ${card.light}; --text: #1a2130; --quiet: #545d72; --line: #dce1ea;
  --edge: #7b8499; --accent: ${accent.light}; --on-accent: #fff; --soft: ${tinted(card.light, accent.light)};
  --hover: 92%; --note: #fff4d6; --on-note: #5b4300;
  --note-edge: #b98900; --bad: #b3261e; --on-bad: #fff; --bad-soft: #fdecea; --good: #1c6b3c; --good-soft: #e6f4ea; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1218; --card: ${card.dark}; --text: #e8ebf2; --quiet: #a6aec0;
  --line: #30384a; --edge: #7a849b; --accent: ${accent.dark}; --on-accent: #0b1020; --soft: ${tinted(card.dark, accent.dark)};
  --hover: 108%; --note: #3a2f10;
  --on-note: #ffe3a1; --note-edge: #c79a2a; --bad: #ff9c93; --on-bad: #2b0906; --bad-soft: #3b1f1e; --good: #83d6a1;
  --good-soft: #1a3225; } }`

/** Pages work from a width of 320 px. */
const rules = escaped`
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; padding: 1rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
body::before, body::after { content: ""; flex: 1; }
.brand { width: 100%; max-width: 27rem; margin: 0 0 .75rem; padding: 0 .25rem; display: flex; align-items: center;
  gap: .5rem; font-weight: 650; }
.brand::before { content: ""; flex: none; width: 1.1rem; height: 1.1rem; border: .3rem solid var(--accent);
  border-right-color: transparent; border-radius: 50%; transform: rotate(45deg); }
.brand.own { flex-wrap: wrap; }
.brand.own::before { display: none; }
.brand svg { flex: none; display: block; height: 2rem; max-width: 100%; }
footer { width: 100%; max-width: 27rem; margin: .75rem 0 0; padding: 0 .25rem; color: var(--quiet); font-size: .9rem; }
footer p { margin: 0 0 .25rem; }
footer a { color: inherit; }
main { width: 100%; max-width: 27rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .9rem; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 6%); }
.wide, .wide + footer, .brand:has(+ .wide) { max-width: 40rem; }
@media (max-width: 26rem) { body { padding: .75rem; } main { padding: 1.25rem; } }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; line-height: 1.4; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; line-height: 1.4; }
p { margin: 0 0 1rem; }
.text { margin: 0 0 1rem; padding-left: 1.5rem; }
main > :last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: .15em; }
.quiet { color: var(--quiet); font-size: .9rem; }
.last { margin: 1.5rem 0 0; }
.note { padding: .5rem .75rem; border-radius: .5rem; background: var(--note); color: var(--on-note); font-weight: 600; }
.alert, .done { padding: .65rem .75rem; border-radius: .5rem; border-left: .25rem solid; font-weight: 600; }
.alert { background: var(--bad-soft); color: var(--bad); }
.done { background: var(--good-soft); color: var(--good); }
.mark { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .85rem; font-weight: 600; }
.mark.good { background: var(--good-soft); color: var(--good); }
.mark.unknown { background: var(--note); color: var(--on-note); }
.amount { margin: 0 0 1rem; font-size: 2.25rem; font-weight: 700; line-height: 1.2; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 0 0 1.5rem; }
dt { color: var(--quiet); }
dd { margin: 0; text-align: right; }
.facts { display: block; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .6rem; }
.facts dt { font-size: .9rem; }
.facts dd { margin: 0 0 .5rem; text-align: left; font-weight: 600; }
.facts dd:last-child { margin: 0; }
.scopes { margin: 0 0 1rem; padding: 0; list-style: none; }
.scopes li { position: relative; margin: 0 0 .6rem; padding-left: 1.75rem; }
.scopes li::before { content: ""; position: absolute; left: .3rem; top: .3rem; width: .4rem; height: .75rem;
  border: solid var(--good); border-width: 0 .15rem .15rem 0; transform: rotate(45deg); }
.scopes b { display: block; font-weight: 600; }
.scopes span { display: block; color: var(--quiet); font-size: .9rem; }
.apps { margin: 1rem 0 0; padding: 0; list-style: none; }
.apps > li { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.apps h2 { margin: 0 0 .25rem; font-size: 1.1rem; }
.apps dl { margin: .75rem 0; font-size: .9rem; grid-template-columns: 8.5rem 1fr; }
.apps dd { text-align: left; }
.apps > li:last-child { padding-bottom: 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; margin: 0 0 1rem; }
.bar p { margin: 0; }
form { display: flex; flex-wrap: wrap; gap: .75rem; }
form.stack { flex-direction: column; flex-wrap: nowrap; gap: 1rem; }
.field { display: flex; flex-direction: column; gap: .3rem; }
label { font-weight: 600; }
input:not([type=checkbox]) { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge);
  border-radius: .5rem; background: var(--card); color: inherit; font: inherit; }
input[aria-invalid] { border: 2px solid var(--bad); }
.field .error { margin: 0; color: var(--bad); font-weight: 600; font-size: .9rem; }
.field .quiet { margin: 0; }
.spend { flex: 1 1 100%; display: grid; grid-template-columns: auto 1fr; gap: .25rem .75rem; padding: .9rem 1rem;
  border: 2px solid var(--note-edge); border-radius: .6rem; background: var(--note); color: var(--on-note); }
.spend input { width: 1.35rem; height: 1.35rem; margin: .1rem 0 0; accent-color: var(--accent); }
.spend p { grid-column: 2; margin: 0; font-size: .9rem; }
button { flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: .5rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
form.stack button { flex: none; }
button:hover { background: var(--soft); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { filter: brightness(var(--hover)); }
button.bad { flex: 0 1 auto; border-color: var(--bad); color: var(--bad); }
button.bad:hover { background: var(--bad-soft); }
button.small { flex: 0 1 auto; min-height: 2.25rem; padding: .25rem .75rem; font-size: .9rem; }
button.link { flex: none; min-height: 1.5rem; padding: 0; border: 0; background: none; color: var(--accent);
  text-decoration: underline; text-underline-offset: .15em; font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { .brand::before, .scopes li::before { border-color: CanvasText; } }
`

/** The style of every page, in the accent colours of a brand. */
export const styleOf = (accent: Shades): Html => escaped`${coloursWith(accent)}${rules}`
