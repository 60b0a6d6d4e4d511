/** True for the API of the back office, which pages of other origins may not call. */
export const isAdminPath = (url: string): boolean => /^\/+v1\/+admin(?:[/?]|$)/i.test(url)
