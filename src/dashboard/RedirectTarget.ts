import * as RedirectUri from "../oauth/RedirectUri.ts"

/** Describes the target of the redirect for a person. */
export const described = (redirect_uri: string): string => {
  if (RedirectUri.isLoopback(redirect_uri)) return "an app on this computer"
  const { host, protocol } = new URL(redirect_uri)
  return protocol === "https:" ? host : `the app that opens “${protocol}” links`
}

/**
 * The target of the redirect as a source of a Content-Security-Policy. Chromium applies `form-action` to every redirect
 * after a form. With only the host as source, an app could not redirect the person further to another host.
 */
export const source = (redirect_uri: string): string => new URL(redirect_uri).protocol
