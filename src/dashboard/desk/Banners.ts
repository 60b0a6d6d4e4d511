import { type Announcement, type AnnouncementKind, wordsIn } from "../../announcements/Announcement.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, localized, type Phrase, text } from "../../pages/Html.ts"

const kinds = {
  info: text("banner.info"),
  warning: text("banner.warning"),
  maintenance: text("banner.maintenance")
} satisfies Record<AnnouncementKind, Phrase>

const banner = (one: Announcement): Html => {
  const words = (part: "title" | "body", from?: number) =>
    localized(({ code }) => {
      const written = wordsIn(one, code)[part]
      return from === undefined ? written : (written.split(/\n\s*\n/)[from] ?? "")
    })
  const parts = one.body_en.split(/\n\s*\n/).length
  const most = Math.max(parts, one.body_de?.split(/\n\s*\n/).length ?? 0)
  const window: Content =
    one.kind === "maintenance" &&
    html` <small>${text("banner.window", { from: moment(one.starts_at), to: moment(one.ends_at) })}</small>`
  return html`<details class="${one.kind === "info" ? "banner" : "banner note"}">
    <summary><b>${kinds[one.kind]}: ${words("title")}</b>${window}</summary>
    ${Array.from({ length: most }, (_, index) => html`<p>${words("body", index)}</p>`)}
  </details>`
}

/** The announcements that stand, above the content of a page. */
export const banners = (current: ReadonlyArray<Announcement>): Content =>
  current.length > 0 && html`<aside class="banners" aria-label="${text("banner.title")}">${current.map(banner)}</aside>`
