import { Marked } from 'marked'

/** Markdown of our own to HTML: headings can be linked to, and code says what it is. */
export function toHtml(markdown: string): string {
  return marked.parse(markdown, { async: false })
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = anchorOf(text)
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    code({ text, lang = '' }) {
      const label = LANGUAGES[lang]
      const code = `<pre><code class="language-${escapeHtml(lang)}">${escapeHtml(text)}\n</code></pre>`
      return label ? `<figure><figcaption>${label}</figcaption>${code}</figure>\n` : `${code}\n`
    },
    table(token) {
      const header = token.header.map((cell) => `<th>${this.parser.parseInline(cell.tokens)}</th>`)
      const rows = token.rows.map((row) => {
        const cells = row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`)
        return `<tr>${cells.join('')}</tr>\n`
      })
      // A wide one scrolls by itself, not the page.
      return `<div class="wide"><table><thead><tr>${header.join('')}</tr></thead><tbody>\n${rows.join('')}</tbody></table></div>\n`
    },
  },
})

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'Node',
  python: 'Python',
  // Whole programs that go on running: a test of their own runs these two.
  javascript: 'Node',
  py: 'Python',
  http: 'HTTP',
  json: 'JSON',
}

/** `Finish reasons` → `finish-reasons`; a code is its own anchor. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ENTITIES[c]!)
