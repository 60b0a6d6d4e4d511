/** The browser or program, and the operating system, that a `User-Agent` names. Null when it names none that is known. */
export interface Device {
  readonly browser: string | null
  readonly system: string | null
}

type Names = ReadonlyArray<readonly [name: string, pattern: RegExp]>

/** The first match counts: most browsers also name others, for old web sites. */
const browsers: Names = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|OPiOS|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Yandex Browser", /\bYaBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+ .*\bSafari\//],
  ["curl", /^curl\//],
  ["Wget", /^Wget\//],
  ["Postman", /^PostmanRuntime\//],
  ["Python", /^(python-|Python\/|Python-urllib\/|aiohttp\/)/],
  ["Node.js", /^(node\b|undici\b|axios\/|got\b)/],
  ["Go", /^Go-http-client\//],
  ["Java", /^(Java\/|Java-http-client\/|okhttp\/|Apache-HttpClient\/)/],
  ["PHP", /^(GuzzleHttp\/|PHP\/|Symfony )/],
  ["Ruby", /^(Ruby|Faraday )/]
]

const systems: Names = [
  ["iOS", /\b(iPhone|iPod)\b/],
  ["iPadOS", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\b(Macintosh|Mac OS X)\b/],
  ["Linux", /\b(Linux|X11)\b/]
]

const firstIn = (names: Names, text: string) => names.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** Reads the device out of a `User-Agent`. Clients choose this text, so it proves nothing. */
export const deviceOf = (user_agent: string | null): Device => ({
  browser: firstIn(browsers, user_agent ?? ""),
  system: firstIn(systems, user_agent ?? "")
})
