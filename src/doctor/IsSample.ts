/**
 * True for a value as the documentation and `.env.example` have it: with dots in place of a secret, with the password
 * "password", or at a name for examples (RFC 2606, section 3).
 */
export const isSample = (value: string): boolean =>
  /\.{3}|:password@|(^|[/@.])(example\.(com|net|org)|your-shop\.com)(?![\w-]|\.\w)/i.test(value)
