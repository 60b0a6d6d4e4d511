/** Hides most of a mail address from staff who may not identify customers. */
export const maskedEmail = (email: string | null): string | null =>
  email === null ? null : email.replace(/^(.).*(?=@)/, "$1***")
