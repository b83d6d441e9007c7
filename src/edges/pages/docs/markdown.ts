import Parser, { type MarkdownIt, type Token } from 'markdown-it'
import { toAnchor } from '../../../platform/lib/markdown/anchor.ts'

/** What stands below a heading of a page, by its anchor; the empty text for nothing. */
type Insertions = (anchor: string) => string

/** A heading of the second level, for a table of contents. */
export type Heading = { readonly anchor: string; readonly text: string }

type Env = { insertions: Insertions; headings: Heading[]; anchors: Set<string>; page: string }

/** A number at the start of a row in the table of errors; the first of its number gets an anchor. */
const ERROR_ROW = /<tr>(\s*<td>)(-?\d+)(<\/td>)/g

/**
 * Renders a page of the documentation: headings get anchors and the panels of operations, links between files
 * lead to pages. Markup in the texts is escaped, although they come from this repository.
 */
export class DocumentationMarkdown {
  readonly #parser = configure(new Parser({ html: false }))

  /** The page without its title, and its headings. */
  render(
    page: string,
    markdown: string,
    insertions: Insertions = () => '',
  ): { html: string; headings: Heading[] } {
    const env: Env = { insertions, headings: [], anchors: new Set(), page }
    const html = this.#parser.render(markdown.replace(/^# .*\n/, ''), env)
    return { html: page === 'errors' ? addErrorAnchors(html) : html, headings: env.headings }
  }

  /** A piece of text without paragraphs, such as the cell of a table. */
  renderInline(text: string): string {
    return this.#parser.renderInline(text, { page: 'conventions' })
  }
}

export function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? ''
}

/**
 * What stands below a heading of the second or third level, down to the next one of that level or a higher
 * one.
 */
export function cutSection(markdown: string, anchor: string): string {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => /^##/.test(line) && toAnchor(headingOf(line)) === anchor)
  if (start === -1) {
    return ''
  }
  const level = levelOf(lines[start] ?? '')
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => levelOf(line) > 0 && levelOf(line) <= level)
  return rest.slice(0, end === -1 ? undefined : end).join('\n')
}

/** 0 for a line that is no heading. */
function levelOf(line: string): number {
  return /^(#+) /.exec(line)?.[1]?.length ?? 0
}

function headingOf(line: string): string {
  return line.replace(/^#+ /, '')
}

/**
 * `bugs.md#file-a-bug` leads to `/docs/bugs#file-a-bug`; the README of the reference is the page of
 * conventions.
 */
export function toDocsPath(href: string, page: string): string {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  if (/^[a-z]+:/.test(path) || path.startsWith('/')) {
    return href
  }
  const file = path.split('/').at(-1)?.replace(/\.md$/, '') ?? ''
  const target = file === '' ? page : file.replace('README', 'conventions')
  return `/docs/${target}${hash}`
}

function configure(parser: MarkdownIt): MarkdownIt {
  Object.assign(parser.renderer.rules, {
    heading_open: (tokens: Token[], index: number, _: unknown, env: Env) => {
      const [token, inline] = tokens.slice(index, index + 2)
      const text = inline?.content.replace(/[`*]/g, '') ?? ''
      const anchor = uniqueAnchor(toAnchor(text), env.anchors)
      token?.attrSet('id', anchor)
      if (token?.tag === 'h2') {
        env.headings.push({ anchor, text })
      }
      return `<${token?.tag} id="${anchor}">`
    },
    heading_close: (tokens: Token[], index: number, _: unknown, env: Env) => {
      const anchor = String(tokens[index - 2]?.attrGet('id') ?? '')
      return `</${tokens[index]?.tag}>\n${env.insertions(anchor)}`
    },
    link_open: (tokens: Token[], index: number, _: unknown, env: Env) => {
      const href = toDocsPath(String(tokens[index]?.attrGet('href') ?? ''), env.page)
      const text = tokens[index + 1]
      if (text?.type === 'text') {
        text.content = text.content.replace(/^([\w-]+)\.md$/, '$1')
      }
      return `<a href="${parser.utils.escapeHtml(href)}">`
    },
    // wide tables scroll by themselves, with the keyboard too
    table_open: () => '<div class="wide" tabindex="0" role="group" aria-label="Table">\n<table>\n',
    table_close: () => '</table>\n</div>\n',
    // a heading without words is none
    th_open: (tokens: Token[], index: number) =>
      tokens[index + 1]?.content === '' ? '<td>' : '<th scope="col">',
    th_close: (tokens: Token[], index: number) =>
      tokens[index - 1]?.content === '' ? '</td>\n' : '</th>\n',
    td_open: () => '<td>',
  })
  const { fence, code_block: code } = parser.renderer.rules
  parser.renderer.rules.code_block = (...args) => withKeyboard(code?.(...args))
  // a diagram would need a script; the text around it says the same
  parser.renderer.rules.fence = (...args) =>
    args[0][args[1]]?.info === 'mermaid' ? '' : withKeyboard(fence?.(...args))
  return parser
}

/** Long lines scroll by themselves, with the keyboard too. */
function withKeyboard(html = ''): string {
  return html.replace('<pre', '<pre tabindex="0"')
}

function uniqueAnchor(anchor: string, taken: Set<string>): string {
  let unique = anchor
  for (let number = 1; taken.has(unique); number += 1) {
    unique = `${anchor}-${number}`
  }
  taken.add(unique)
  return unique
}

function addErrorAnchors(html: string): string {
  const seen = new Set<string>()
  const start = html.indexOf('id="table-of-errors"')
  return (
    html.slice(0, Math.max(start, 0)) +
    html.slice(Math.max(start, 0)).replace(ERROR_ROW, (row, open, number, close) => {
      const isFirst = !seen.has(number)
      seen.add(number)
      return isFirst ? `<tr id="error-${number}">${open}${number}${close}` : row
    })
  )
}
