import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Brand, builtIn } from "../../src/brand/Brand.ts"
import { described } from "../../src/brand/BrandFault.ts"
import * as BrandFolder from "../../src/brand/BrandFolder.ts"
import { ofBrand } from "../../src/brand/Language.ts"
import { Sender } from "../../src/platform/mail/Sender.ts"
import { example, folderWith } from "./BrandTesting.ts"

const faultsOf = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.map(folderWith(files), (directory) => BrandFolder.check(directory).faults.map(described))

/** The brand and the sender as the start of the service reads them. */
const started = (env: Record<string, string>) =>
  Effect.all([Brand, Sender]).pipe(
    Effect.provide(BrandFolder.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))), {
      local: true
    })
  )

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">\n${content}\n</svg>`

/** Files with a fault, and the beginning of its report. */
const wrong: ReadonlyArray<readonly [Readonly<Record<string, string | Uint8Array>>, string]> = [
  [{ "mail/verify_email.txt": "Hello" }, "mail/verify_email.txt: is not a file of a brand"],
  [{ "fonts/acme.woff2": "" }, "fonts/acme.woff2: is not a file of a brand"],
  [{ "legal/imprint.md": "# Imprint" }, "legal/imprint.md: is not a file of a brand"],
  [{ "legal/terms.md/terms.md": "# Terms" }, "legal/terms.md: is not a file"],
  [{ "legal/terms.md": Uint8Array.of(35, 32, 0xff) }, "legal/terms.md: is not UTF-8"],
  [{ "legal/terms.md": `# Terms\n${"x".repeat(205_000)}` }, "legal/terms.md: is larger than 200 KB"],
  [{ "legal/terms.md": "Terms\n\nText" }, "legal/terms.md:1: Expected a title, such as # Terms of service"],
  [{ "legal/privacy.md": "Hello" }, "legal/privacy.md:1: Expected a title, such as # Privacy policy"],
  [{ "legal/terms.md": "# Terms\n\nSee\n[us](javascript:alert)" }, "legal/terms.md:3: javascript:alert is not a link"],
  [{ "legal/terms.md": "# Terms\n\n- a\n\nSee [us](/contact)" }, "legal/terms.md:5: /contact is not a link"],
  [{ "pages/register.md": "[us](data:text/html,x)" }, "pages/register.md:1: data:text/html,x is not a link"],
  [
    { "brand.json": '{\n  "name": "Acme"\n  "company": "Acme"\n}' },
    "brand.json:3: is not valid JSON: Expected ',' or '}'"
  ],
  [{ "brand.json": '{\n  "name": "Acme",\n' }, "brand.json:2: is not valid JSON: Expected double-quoted property name"],
  [
    { "brand.json": '{\n  "name": Acme,\n  "name_in_logo": true\n}' },
    "brand.json:2: is not valid JSON: Unexpected token 'A'"
  ],
  [
    { "brand.json": '{\n  "name": "Acme",\n}\n' },
    "brand.json:3: is not valid JSON: Expected double-quoted property name"
  ],
  [
    { "brand.json": '{\n\n  "name": "Acme\n", "company": 7}' },
    "brand.json:3: is not valid JSON: Bad control character"
  ],
  [{ "brand.json": "" }, "brand.json:1: is not valid JSON: Unexpected end of JSON input"],
  [
    { "brand.json": '{"name": "A"}\n}' },
    "brand.json:2: is not valid JSON: Unexpected non-whitespace character after JSON"
  ],
  [{ "brand.json": '{\n  "company": "Acme"\n}' }, "brand.json:1: name: "],
  [
    { "brand.json": '{\n  "name": "Acme",\n  "suport_email": "a@b.example"\n}' },
    "brand.json:3: suport_email is not a field of brand.json (did you mean support_email?)"
  ],
  [
    { "brand.json": '{"name": "A",\n"accent": {"ligth": "#1a56c4"}}' },
    "brand.json:2: accent.ligth is not a field of brand.json (did you mean accent.light?)"
  ],
  [{ "brand.json": '{"name": "A", "font": "Inter"}' }, "brand.json:1: font is not a field of brand.json"],
  [{ "brand.json": '{\n  "name": " Acme"\n}' }, "brand.json:2: name: Expected one line of 1 to 40 characters"],
  [{ "brand.json": '{\n  "name": "A\\nB"\n}' }, "brand.json:2: name: Expected one line"],
  [{ "brand.json": '{"name": 7}' }, "brand.json:1: name: Expected string"],
  [{ "brand.json": '{"name": "A",\n"support_email": "acme"}' }, "brand.json:2: support_email: Expected an address"],
  [
    { "brand.json": '{"name": "A",\n"support_url": "http://a.example"}' },
    "brand.json:2: support_url: Expected an address"
  ],
  [
    { "brand.json": '{"name": "A",\n"accent":\n{"light": "green"}}' },
    "brand.json:3: accent.light: Expected a hex colour"
  ],
  [{ "brand.json": '{"name": "A", "accent": {"dark": "#fff"}}' }, "brand.json:1: accent.dark: Expected a hex colour"],
  [
    { "brand.json": '{"name": "A",\n"accent":\n{"light": "#767676",\n"dark": "#7a7a7a"}}' },
    "brand.json:4: accent.dark: #7a7a7a on #191e28 has a contrast of 3.88:1; text needs 4.5:1 (WCAG AA)"
  ],
  [
    { "brand.json": '{"name": "A", "accent": {"light": "#777777"}}' },
    "brand.json:1: accent.light: #777777 on #ffffff has a contrast of 4.47:1"
  ],
  [{ "mail/email_changed.subject": "One\nTwo" }, "mail/email_changed.subject:2: Expected one line"],
  [{ "mail/email_changed.subject": "" }, "mail/email_changed.subject:1: Expected 1 to 150 characters"],
  [
    { "mail/password_reset.subject": "Use {{token}}" },
    "mail/password_reset.subject:1: {{token}} is not a placeholder of this text; it has {{brand}}"
  ],
  [
    { "mail/proxy_ended.subject": "{{message}}" },
    "mail/proxy_ended.subject:1: {{message}} is not a placeholder of this text; it has {{brand}}, {{order_id}}"
  ],
  [{ "mail/proxy_ended.txt": "{{message}}\n\n{{token}}" }, "mail/proxy_ended.txt:3: {{token}} is not a placeholder"],
  [{ "mail/proxy_ended.txt": "{{ message }}" }, "mail/proxy_ended.txt:1: {{ message }} is not a placeholder"],
  [{ "mail/proxy_ended.txt": "\n{{message" }, "mail/proxy_ended.txt:2: {{message is not a placeholder"],
  [{ "mail/proxy_ended.txt": "\n" }, "mail/proxy_ended.txt:1: is empty"],
  [{ "mail/de/proxy_ended.txt": "\n{{token}}" }, "mail/de/proxy_ended.txt:2: {{token}} is not a placeholder"],
  [{ "mail/de/email_changed.subject": "A\nB" }, "mail/de/email_changed.subject:2: Expected one line"],
  [{ "mail/fr/proxy_ended.txt": "Fini" }, "mail/fr/proxy_ended.txt: is not a file of a brand"],
  [{ "mail/en/proxy_ended.txt": "Over" }, "mail/en/proxy_ended.txt: is not a file of a brand"],
  [{ "pages/texts.json": "[]" }, "pages/texts.json:1: Expected an object of texts"],
  [{ "pages/texts.json": '{\n"sign_in.title": "Log in",\n}' }, "pages/texts.json:3: is not valid JSON: "],
  [
    { "pages/texts.json": '{\n  "sign_in.titel": "Log in"\n}' },
    "pages/texts.json:2: sign_in.titel is not a text of a page (did you mean sign_in.title?)"
  ],
  [{ "pages/texts.json": '{"page.sign_in": 7}' }, "pages/texts.json:1: page.sign_in: Expected one line"],
  [{ "pages/texts.json": '{"page.sign_in": " "}' }, "pages/texts.json:1: page.sign_in: Expected one line"],
  [{ "pages/texts.json": '{"page.sign_in": "a\\nb"}' }, "pages/texts.json:1: page.sign_in: Expected one line"],
  [
    { "pages/texts.json": '{"page.sign_in": "Log in to {{shop}}"}' },
    "pages/texts.json:1: page.sign_in: {{shop}} is not a placeholder of this text; it has {{brand}}"
  ],
  [
    { "pages/texts.json": '{"consent.heading": "Connect?"}' },
    "pages/texts.json:1: consent.heading: needs the placeholder {{app}}"
  ],
  [
    { "pages/de/texts.json": '{\n"consent.heading": "Verbinden?"}' },
    "pages/de/texts.json:2: consent.heading: needs the placeholder {{app}}"
  ],
  [{ "pages/en/texts.json": "{}" }, "pages/en/texts.json: is not a file of a brand"],
  [{ "pages/de/register.md": "Hallo" }, "pages/de/register.md: is not a file of a brand"],
  [{ "mail/sign_in_unlock.txt": "{{token}}" }, "mail/sign_in_unlock.txt:1: needs the placeholder {{link}}"],
  [{ "logo.svg": svg(`<path d="M0 0h9"/>\n`.repeat(3000)) }, "logo.svg: is larger than 50 KB"],
  [{ "logo.svg": svg("<script/>") }, "logo.svg:2: has the element <script>"]
]

describe("The folder of a brand", () => {
  for (const [files, report] of wrong)
    it.effect(`is refused: ${report}`, () =>
      Effect.gen(function* () {
        const [first = "none", ...others] = yield* faultsOf(files)
        assert.deepStrictEqual([first.slice(0, report.length), others], [report, []])
      })
    )

  it.effect("is refused with all its faults together, and the service does not start", () =>
    Effect.gen(function* () {
      const files = { "brand.json": "{}", "mail/email_changed.txt": "a\n{{b}} {{c}}", "logo.png": "" }
      const error = yield* Effect.flip(started({ BRAND_DIR: yield* folderWith(files) }))
      assert.match(
        String(error.message),
        /^BRAND_DIR: logo\.png: .*; brand\.json:1: name: .*; mail\/email_changed\.txt:2: \{\{b\}\} .*; mail\/email_changed\.txt:2: \{\{c\}\} /
      )
    })
  )

  it.effect("is refused when it does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(started({ BRAND_DIR: "/dev/null/brand" }))
      assert.match(String(error.message), /^BRAND_DIR: \/dev\/null\/brand: cannot be read \(.*ENOTDIR/)
    })
  )

  it.effect("overrides only what it has", () =>
    Effect.gen(function* () {
      const files = {
        "brand.json": '\uFEFF{"name": "Acme Proxies"}',
        "mail/email_changed.txt": "Moved.\r\n\r\nBye.\r\n",
        "mail/de/password_reset.subject": "Neues Passwort",
        "pages/texts.json": '{"sign_in.title": "Log in"}',
        "pages/de/texts.json": '{"sign_in.title": "Einloggen bei {{brand}}"}'
      }
      const BRAND_DIR = yield* folderWith({ ...files, ".git/HEAD": "" })
      const [{ mails, texts, ...brand }, sender] = yield* started({ BRAND_DIR })
      assert.deepStrictEqual(sender, { name: "Acme Proxies" })
      const { mails: builtInMails, texts: builtInTexts, ...others } = builtIn
      assert.deepStrictEqual(brand, { ...others, name: "Acme Proxies" })
      assert.strictEqual(mails.en.email_changed.text, "Moved.\n\nBye.")
      assert.strictEqual(mails.en.email_changed.subject, builtInMails.en.email_changed.subject)
      assert.deepStrictEqual(mails.en.password_reset, builtInMails.en.password_reset)
      assert.deepStrictEqual(mails.de, {
        ...builtInMails.de,
        password_reset: { ...builtInMails.de.password_reset, subject: "Neues Passwort" }
      })
      assert.deepStrictEqual(texts, {
        en: { ...builtInTexts.en, "sign_in.title": "Log in" },
        de: { ...builtInTexts.de, "sign_in.title": "Einloggen bei {{brand}}" }
      })
      assert.strictEqual(ofBrand({ ...brand, texts }).de.texts["sign_in.title"], "Einloggen bei Acme Proxies")
    })
  )

  it.effect("is the built-in brand without BRAND_DIR", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* started({}), [builtIn, { name: "Proxy Rental Service" }])
    })
  )

  it.effect("names the sender of mails", () =>
    Effect.gen(function* () {
      const settings = { name: "Acme", sender_name: "Acme Mail", sender_email: "no-reply@acme.example" }
      const [, sender] = yield* started({
        BRAND_DIR: yield* folderWith({ "brand.json": JSON.stringify(settings) })
      })
      assert.deepStrictEqual(sender, { name: "Acme Mail", address: "no-reply@acme.example" })
    })
  )

  it.effect("has no faults in the example of the documentation", () =>
    Effect.gen(function* () {
      assert.sameMembers(Object.keys(example), [
        "brand.json",
        "logo.svg",
        "mail/email_verification.subject",
        "mail/email_verification.txt",
        "legal/terms.md",
        "pages/register.md",
        "pages/texts.json"
      ])
      assert.deepStrictEqual(yield* faultsOf(example), [])
    })
  )
})
