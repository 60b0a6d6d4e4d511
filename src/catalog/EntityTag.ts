const opaqueTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** True when `If-None-Match` names the entity tag, by weak comparison (RFC 9110 section 13.1.2). */
export const isNamedBy = (entityTag: string, ifNoneMatch: string): boolean =>
  ifNoneMatch === entityTag ||
  ifNoneMatch.trim() === "*" ||
  [...ifNoneMatch.matchAll(opaqueTag)].some(([, opaque]) => opaque === entityTag)
