import * as RedirectUri from "../oauth/RedirectUri.ts"

/** Where the browser is sent back to, for a person. */
export const described = (redirect_uri: string): string => {
  if (RedirectUri.isLoopback(redirect_uri)) return "an app on this computer"
  const { host, protocol } = new URL(redirect_uri)
  return protocol === "https:" ? host : `the app that opens “${protocol}” links`
}

/**
 * The same as a source of a Content-Security-Policy. Chromium holds every redirect that follows a form to `form-action`:
 * with the host alone, an app that leads on from there to a page elsewhere would never get the person there.
 */
export const source = (redirect_uri: string): string => new URL(redirect_uri).protocol
