import { type Phrase, text } from "../../pages/Html.ts"
import * as RedirectUri from "../../oauth/RedirectUri.ts"

/** Describes the target of the redirect for a person. */
export const described = (redirect_uri: string): Phrase | string => {
  if (RedirectUri.isLoopback(redirect_uri)) return text("consent.target_computer")
  const { host, protocol } = new URL(redirect_uri)
  return protocol === "https:" ? host : text("consent.target_links", { protocol })
}

/**
 * The target of the redirect as a source of a Content-Security-Policy. Chromium applies `form-action` to every redirect
 * after a form. With only the host as source, an app could not redirect the person further to another host.
 */
export const source = (redirect_uri: string): string => new URL(redirect_uri).protocol
