/** A secret of the service (`Secrets.make`) as a part of a path, or as a value of a query. */
const secrets = /(?<=[/=])([a-z]{3}_)?[\w-]{43}(?![\w-])/g

/** The URL of a request for the log, without the secrets that links and forms put into it. */
export const loggedUrl = (url: string): string => url.replace(secrets, "...")
