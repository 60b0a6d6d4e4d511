import { text } from "../../pages/Html.ts"

/** The guides of `docs/` for customers, in the order in which pages list them. Nothing else of `docs/` is served. */
export const guides = [
  { name: "dashboard", title: text("guide.dashboard"), about: text("guide.dashboard_about") },
  { name: "api", title: text("guide.api"), about: text("guide.api_about") },
  { name: "contract", title: text("guide.contract"), about: text("guide.contract_about") },
  { name: "webhooks", title: text("guide.webhooks"), about: text("guide.webhooks_about") },
  { name: "oauth", title: text("guide.oauth"), about: text("guide.oauth_about") },
  { name: "tools", title: text("guide.tools"), about: text("guide.tools_about") },
  { name: "agents", title: text("guide.agents"), about: text("guide.agents_about") },
  { name: "ip-reputation", title: text("guide.ip_reputation"), about: text("guide.ip_reputation_about") }
] as const

export type Guide = (typeof guides)[number]

/** Finds the guide of a file of `docs/`, such as `api.md`. */
export const guideOfFile = (file: string): Guide | undefined => guides.find(({ name }) => `${name}.md` === file)
