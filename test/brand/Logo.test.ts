import { assert, describe, it } from "@effect/vitest"
import { described } from "../../src/brand/BrandFault.ts"
import * as Logo from "../../src/brand/Logo.ts"
import { logo } from "../../src/pages/LogoImage.ts"

const svg = (content: string, attributes = 'viewBox="0 0 9 9"') => `<svg ${attributes}>${content}</svg>`

const faultsOf = (text: string) => Logo.parse("logo.svg", text).faults.map(described)

/** The logo as pages write it. */
const written = (text: string) => {
  const { faults, logo: parsed } = Logo.parse("logo.svg", text)
  assert.deepStrictEqual(faults, [])
  return parsed === undefined ? "" : logo(parsed, undefined).text
}

const hostile: ReadonlyArray<readonly [name: string, text: string, fault: string]> = [
  ["a script", svg("<script>alert(1)</script>"), "<script>"],
  ["a script in a dropped element", svg('<title>x</title><script href="https://evil.example/x.js"/>'), "<script>"],
  ["an event handler", svg("", 'viewBox="0 0 9 9" onload="alert(1)"'), "attribute onload"],
  ["a style sheet", svg("<style>@import url(https://evil.example)</style>"), "<style>"],
  ["a style attribute", svg('<g style="background:url(https://evil.example)"/>'), "attribute style"],
  ["a class", svg('<g class="spend"/>'), "attribute class"],
  ["an image", svg('<image href="https://evil.example/x.png"/>'), "<image>"],
  ["a use of another file", svg('<use href="https://evil.example/x.svg#a"/>'), "<use>"],
  ["an old reference", svg('<path xlink:href="https://evil.example/x.svg#a"/>'), "attribute xlink:href"],
  ["a page inside", svg("<foreignObject><form></form></foreignObject>"), "<foreignObject>"],
  ["a link", svg('<a href="https://evil.example"><path/></a>'), "<a>"],
  ["an animation", svg('<animate attributeName="href" to="javascript:alert(1)"/>'), "<animate>"],
  ["a second svg inside", svg('<svg onload="alert(1)"/>'), "<svg>"],
  ["text", svg("Acme"), "has text"],
  ["a CDATA section", svg("<![CDATA[<script>alert(1)</script>]]>"), "not well-formed"],
  ["a colour from elsewhere", svg('<path fill="url(https://evil.example/#a)"/>'), "fill of <path>"],
  ["a colour from another host", svg('<path fill="url(//evil.example)"/>'), "fill of <path>"],
  ["a colour from another file", svg('<path fill="url(x.svg#a)"/>'), "fill of <path>"],
  ["an escaped reference", svg('<path fill="u\\72l(x.svg#a)"/>'), "fill of <path>"],
  ["a reference in a comment", svg('<path fill="url(/*#a*/x)"/>'), "fill of <path>"],
  ["a reference in another one", svg('<path fill="rgb(1,url(x.svg#a))"/>'), "fill of <path>"],
  ["an image function", svg('<path fill="image-set(x 1x)"/>'), "fill of <path>"],
  ["an attribute that ends early", svg(`<path d='M0 0"onload="alert(1)'/>`), "d of <path>"],
  ["an entity", svg('<path d="&#106;"/>'), "d of <path>"],
  ["a document type with entities", `<!DOCTYPE svg [<!ENTITY x "y">]>${svg("&x;")}`, "not well-formed"],
  ["an attribute without quotes", svg("<path d=M0/>"), "not well-formed"],
  ["an end in an attribute", svg('<path d="</svg><script>"/>'), "not well-formed"],
  ["an element that is not closed", '<svg viewBox="0 0 9 9"><g>', "not a complete SVG"],
  ["a wrong end", svg("<g></path>"), "closes <path>"],
  ["more than one end", `${svg("")}</svg>`, "closes <svg>"],
  ["something behind the picture", `${svg("")}<script>alert(1)</script>`, "one <svg> element"],
  ["something before the picture", `Hello ${svg("")}`, "has text"],
  ["another document", "<html><body></body></html>", "one <svg> element"],
  ["nothing", "", "not a complete SVG"],
  ["no view box", '<svg width="9" height="9"></svg>', "needs a viewBox"],
  ["a view box without size", svg("", 'viewBox="0 0"'), "needs a viewBox"],
  ["a deep tree", svg("<g>".repeat(40) + "</g>".repeat(40)), "inside each other"],
  ["many bytes", svg(`<path d="${"M0 0 ".repeat(11_000)}"/>`), "larger than 50 KB"]
]

describe("A logo", () => {
  for (const [name, text, fault] of hostile)
    it(`with ${name} is refused`, () => {
      const [first = "none"] = faultsOf(text)
      assert.include(first, fault)
      assert.isUndefined(Logo.parse("logo.svg", text).logo)
    })

  it("has the line of each fault, and not more faults than a person reads", () => {
    const text = svg(`\n<g/>\n<g class="a"/>\n<text>Acme</text>\n`)
    assert.deepStrictEqual(
      faultsOf(text).map((fault) => fault.split(": ")[0]),
      ["logo.svg:3", "logo.svg:4"]
    )
    assert.isAtMost(faultsOf(svg("<script/>".repeat(1000))).length, 21)
  })

  it.each([
    "<style type='text/css'>.a { fill: red }</style>",
    '<text x="1" font-size="9"><tspan dy="1">Acme</tspan></text>'
  ])("has one fault for what one element contains: %s", (content) => {
    assert.lengthOf(faultsOf(svg(content)), 1)
  })

  it("of a drawing program loses what has no effect, and its ids are its own", () => {
    const text = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with a drawing program -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg id="email" width="64mm" height="32" viewBox="0 0 64 32" version="1.1" xmlns="http://www.w3.org/2000/svg"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:space="preserve" data-name="Layer 1" fill='none'>
  <title>Acme &amp; friends</title>
  <metadata><rdf:RDF><rdf:li>Acme</rdf:li></rdf:RDF></metadata>
  <defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
  <g transform="translate(1, -2) rotate(45)"><rect x="1" y="2" width="3" height="4" fill="url(#a)"/></g>
</svg>`
    assert.strictEqual(
      written(text),
      '<svg viewBox="0 0 64 32" fill="none" aria-hidden="true"><defs><linearGradient id="logo-a"><stop offset="0" stop-color="#fff"></stop></linearGradient></defs><g transform="translate(1, -2) rotate(45)"><rect x="1" y="2" width="3" height="4" fill="url(#logo-a)"></rect></g></svg>'
    )
  })

  it("has the name of the brand for screen readers when pages do not write the name", () => {
    const { logo: parsed } = Logo.parse("logo.svg", svg(""))
    assert.isDefined(parsed)
    assert.strictEqual(
      logo(parsed, 'Acme "&" friends').text,
      '<svg viewBox="0 0 9 9" role="img" aria-label="Acme &quot;&amp;&quot; friends"></svg>'
    )
  })
})
