/** The names that `PROVIDERS` and the price rules may contain. */
export const providerNames = ["gateway", "iproyal", "proxy-seller"] as const
