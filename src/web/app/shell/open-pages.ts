/** Pages that show themselves to everybody, and so do not ask to sign in. */
export const OPEN_PAGES: readonly string[] = [
  ...['/playground', '/models', '/network', '/workers', '/governance', '/explorer'],
]

/** Is this the page that a link leads to, or one below it? */
export const isAt = (pathname: string, to: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)

export const isOpenPage = (pathname: string): boolean => OPEN_PAGES.some((to) => isAt(pathname, to))
