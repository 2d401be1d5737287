import { createHash } from 'node:crypto'
import { escapeHtml } from './markdown.ts'

export interface PageLink {
  readonly href: string
  readonly title: string
}

interface Layout {
  readonly title: string
  readonly links: readonly PageLink[]
  /** `href` of the page itself, as in `links`. */
  readonly current: string | undefined
  /** HTML. */
  readonly content: string
}

/** A whole page. It loads nothing and runs nothing: one file, readable without the rest. */
export function layOut({ title, links, current, content }: Layout): string {
  const items = links.map(({ href, title }) => {
    const mark = href === current ? ' aria-current="page"' : ''
    return `<li><a href="${escapeHtml(href)}"${mark}>${escapeHtml(title)}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Prepaid Inference API</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Pages"><p>Prepaid Inference API</p><ul>
${items.join('\n')}
</ul></nav>
<main>
${content}
</main>
</body>
</html>
`
}

const STYLE = `
:root{--text:#1d2126;--soft:#5c6672;--paper:#fff;--panel:#f5f6f8;--line:#dde1e6;--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--text:#dfe3e8;--soft:#98a2ae;--paper:#14171b;--panel:#1d2127;--line:#333a43;--link:#7cb7f5}}
*{box-sizing:border-box}
body{margin:0;color:var(--text);background:var(--paper);font:16px/1.6 system-ui,sans-serif;overflow-wrap:break-word}
a{color:var(--link)}
nav{padding:1rem 1.25rem;background:var(--panel);border-bottom:1px solid var(--line)}
nav p{margin:0 0 .5rem;font-weight:600}
nav ul{margin:0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
nav a{text-decoration:none}
nav a[aria-current]{color:var(--text);font-weight:600}
main{max-width:50rem;padding:.5rem 1.25rem 4rem}
h1,h2,h3,h4{line-height:1.25;margin:2rem 0 .5rem;scroll-margin-top:1rem}
h1{font-size:1.8rem;margin-top:1rem}
h2{font-size:1.35rem;border-top:1px solid var(--line);padding-top:1.25rem}
h1 a,h2 a,h3 a,h4 a{color:inherit;text-decoration:none}
:target>a{text-decoration:underline}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--panel);border-radius:3px;padding:.1em .3em}
pre{margin:0;padding:.85rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow-x:auto}
figure{margin:1rem 0}
figcaption{font-size:.8rem;color:var(--soft);margin-bottom:.2rem}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.925rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);min-width:6rem}
th{color:var(--soft);font-weight:600}
@media (min-width:60rem){
body{display:grid;grid-template-columns:15rem 1fr;min-height:100vh}
nav{border-bottom:0;border-right:1px solid var(--line)}
nav ul{display:block;position:sticky;top:1rem}
nav li{margin:.3rem 0}
main{padding:1rem 2.5rem 4rem}
}
`

const styleHash = createHash('sha256').update(STYLE).digest('base64')

/** Our own style, links, and nothing else. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
