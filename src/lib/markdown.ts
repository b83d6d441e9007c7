import type { MarkdownIt, Token } from 'markdown-it'
import { anchor, type Links, plainHtml, textHtml, type View } from './markdown-html.ts'
import {
  type Part,
  type Piece,
  References,
  type Setting,
  safeAddress,
} from './markdown-references.ts'

/** A text that has been read: what it names, and its HTML once it is known what of that may be seen. */
export type Prose = {
  readonly bugIds: readonly number[]
  readonly attachmentIds: readonly number[]
  toHtml(links: Links): string
}

const OFF = /^#\[markdown\(off\)\][^\S\n]*(?:\n|$)/

/**
 * Reads a comment so that it can be shown: GitHub-flavoured Markdown in which every line break counts, with
 * links for `bug 12`, `bug 12 comment 3`, `comment 3` and `attachment 7`. The HTML holds no markup of the
 * text's own, no images, no address that a browser would run, and takes time and space in proportion to
 * the text. A first line `#[markdown(off)]` has the rest shown as it is. Contract "Comments", Render.
 */
export async function readComment(text: string, setting: Setting): Promise<Prose> {
  const rules = await markdown()
  const found = new References(setting)
  if (!setting.isMarkdown || OFF.test(text)) {
    const lines = text.replace(OFF, '').split('\n')
    const read = lines.map((line) => ({
      isQuote: line.startsWith('>'),
      parts: partsOf(rules, line),
    }))
    const shown = read.map(({ isQuote, parts }) => ({ isQuote, parts: parts.map(found.inPart) }))
    return { ...found.named(), toHtml: (links) => plainHtml(shown, { ...links, setting }) }
  }
  const tokens = rules.parse(text, {})
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'inline') {
      prepareInline(token.children ?? [], found)
      if (tokens[place - 2]?.type === 'list_item_open') {
        markTask(token.children?.[0])
      }
    }
  }
  return {
    ...found.named(),
    toHtml: (links) => rules.renderer.render(tokens, rules.options, { ...links, setting }),
  }
}

let known: Promise<MarkdownIt> | undefined

/** The rules, which begin to run with the first text: most requests never see one. */
function markdown(): Promise<MarkdownIt> {
  known ??= import('markdown-it').then(({ default: Rules }) => configured(new Rules()))
  return known
}

function configured(rules: MarkdownIt): MarkdownIt {
  rules.set({ html: false, linkify: true, breaks: true, typographer: false })
  for (const scheme of ['irc:', 'ircs:', 'news:']) {
    rules.linkify.add(scheme, { validate: lengthOfAddress })
  }
  rules.linkify.add('www.', {
    validate: lengthOfAddress,
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
  // what may be linked is decided when links are shown, so that a bad one loses its address and not its text
  rules.validateLink = () => true
  Object.assign(rules.renderer.rules, {
    text: (tokens: Token[], place: number, _: unknown, env: View) =>
      textHtml(tokens[place] as Token, env),
    link_open: (tokens: Token[], place: number, _: unknown, env: View) =>
      anchor(attribute(tokens[place], 'href'), attribute(tokens[place], 'title'), env),
    image: () => '',
    s_open: () => '<del>',
    s_close: () => '</del>',
  })
  return rules
}

const ADDRESS = /[^\s<>"'`]+/y

/** How far an address reaches behind its scheme; a stop at its end belongs to the sentence. */
function lengthOfAddress(text: string, start: number): number {
  ADDRESS.lastIndex = start
  const found = ADDRESS.exec(text)?.[0] ?? ''
  let end = found.length
  while (end > 0 && '.,:;!?)]}*_~'.includes(found.charAt(end - 1))) {
    end -= 1
  }
  return end
}

/**
 * Finds references in what stands directly in a paragraph, heading, item or cell, not in what is emphasised
 * or linked already; and takes links from what only looks like an address.
 */
function prepareInline(children: Token[], found: References): void {
  let depth = 0
  for (const [place, token] of children.entries()) {
    depth += token.nesting
    if (token.type === 'text' && depth === 0) {
      token.meta = { pieces: found.inText(token.content) }
    }
    if (token.type === 'link_open') {
      const href = attribute(token, 'href')
      if (token.markup === 'autolink' && safeAddress(href) === '') {
        unlink(children, place)
        depth -= 1
        continue
      }
      const kept = found.ofAddress(href, attribute(token, 'title'))
      token.attrs = kept === '' ? [['href', '']] : token.attrs
    }
  }
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '')
}

/** `<foo:bar>` is an address to Markdown; where nobody may follow it, it is the text that was typed. */
function unlink(children: Token[], place: number): void {
  const [open, text, close] = children.slice(place, place + 3)
  if (open !== undefined && text !== undefined && close !== undefined) {
    Object.assign(open, { type: 'text', nesting: 0, content: '<' })
    Object.assign(close, { type: 'text', nesting: 0, content: '>' })
  }
}

/** `[ ]` or `[x]` at the start of an item is a box. */
function markTask(first: Token | undefined): void {
  const [mark] = /^\[[ xX]\](?=\s)/.exec(first?.content ?? '') ?? []
  const [head, ...rest] = (first?.meta?.pieces ?? []) as Piece[]
  if (first !== undefined && mark !== undefined && head !== undefined) {
    const behind = { ...head, text: head.text.slice(mark.length) }
    first.meta = { pieces: [behind, ...rest], box: mark === '[ ]' ? 'empty' : 'checked' }
  }
}

function partsOf(rules: MarkdownIt, line: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { index, lastIndex, text, url } of rules.linkify.match(line) ?? []) {
    parts.push({ text: line.slice(end, index), href: null })
    parts.push({ text, href: rules.normalizeLink(url) })
    end = lastIndex
  }
  return [...parts, { text: line.slice(end), href: null }]
}
