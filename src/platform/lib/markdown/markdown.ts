import type { MarkdownIt, Token } from 'markdown-it'
import { once } from '../isolate.ts'
import {
  type LinkTargets,
  type RenderEnv,
  renderLinkOpen,
  renderPlainText,
  renderText,
} from './markdown-html.ts'
import {
  type LineSegment,
  ReferenceCollector,
  type RenderOptions,
  sanitizeHref,
  type TextSegment,
} from './markdown-references.ts'

/** A parsed text: the bugs and attachments that it refers to, and its HTML for a reader who sees some. */
export type ParsedComment = {
  readonly bugIds: readonly number[]
  readonly attachmentIds: readonly number[]
  toHtml(targets: LinkTargets): string
}

const MARKDOWN_OFF = /^#\[markdown\(off\)\][^\S\n]*(?:\n|$)/

/**
 * Parses a comment: GitHub-flavoured Markdown with hard line breaks, and with links for `bug 12`, `bug 12 comment 3`,
 * `comment 3` and `attachment 7`. Behind a first line `#[markdown(off)]` the text is plain.
 *
 * The HTML is safe: it has no markup from the text, no images and no URL that a browser would run. Time and size are
 * in proportion to the text, which is plain where its tables, lists and quotes would have too many parts.
 */
export async function parseComment(text: string, options: RenderOptions): Promise<ParsedComment> {
  const markdownIt = await loadMarkdownIt()
  const references = new ReferenceCollector(options)
  const tokens = options.isMarkdown && !MARKDOWN_OFF.test(text) ? tokenize(markdownIt, text) : null
  if (tokens === null) {
    const lines = text
      .replace(MARKDOWN_OFF, '')
      .split('\n')
      .map((line) => ({
        isQuote: line.startsWith('>'),
        segments: splitAtUrls(markdownIt, line).map(references.linkSegment),
      }))
    return {
      ...references.collectedIds(),
      toHtml: (targets) => renderPlainText(lines, { ...targets, options }),
    }
  }
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'inline') {
      collectReferences(token.children ?? [], references)
      if (tokens[index - 2]?.type === 'list_item_open') {
        markTask(token.children?.[0])
      }
    }
  }
  return {
    ...references.collectedIds(),
    toHtml: (targets) =>
      markdownIt.renderer.render(tokens, markdownIt.options, { ...targets, options }),
  }
}

/** The tokens of a text; null where they are too many. */
function tokenize(markdownIt: MarkdownIt, text: string): Token[] | null {
  try {
    return markdownIt.parse(text, {})
  } catch (error) {
    if (error instanceof TooManyBlocks) {
      return null
    }
    throw error
  }
}

/** Tokens of blocks, for each character and in all. A table has cells that stand nowhere in its text. */
const [BLOCKS_PER_CHARACTER, FEW_BLOCKS, MAX_BLOCKS] = [2, 100, 50_000]

class TooManyBlocks extends Error {}

function limitBlocks({ State }: MarkdownIt['block']): typeof State {
  return class extends State {
    override push(...block: Parameters<InstanceType<typeof State>['push']>): Token {
      const most = Math.min(this.src.length * BLOCKS_PER_CHARACTER + FEW_BLOCKS, MAX_BLOCKS)
      if (this.tokens.length > most) {
        throw new TooManyBlocks()
      }
      return super.push(...block)
    }
  }
}

/** Levels of quotes, lists and links; deeper ones are plain text, because each level is parsed again. */
const MAX_NESTING = 20

/** Loads the parser with the first text, because most requests render none. */
export const loadMarkdownIt = once(async () => {
  const { default: Parser } = await import('markdown-it')
  return configure(new Parser())
})

function configure(markdownIt: MarkdownIt): MarkdownIt {
  markdownIt.set({
    maxNesting: MAX_NESTING,
    html: false,
    linkify: true,
    breaks: true,
    typographer: false,
  })
  markdownIt.block.State = limitBlocks(markdownIt.block)
  for (const scheme of ['irc:', 'ircs:', 'news:']) {
    markdownIt.linkify.add(scheme, { validate: measureUrl })
  }
  markdownIt.linkify.add('www.', {
    validate: measureUrl,
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
  // the renderer sanitizes links, so that an unsafe one loses its URL and keeps its text
  markdownIt.validateLink = () => true
  Object.assign(markdownIt.renderer.rules, {
    text: (tokens: Token[], index: number, _: unknown, env: RenderEnv) =>
      renderText(tokens[index] as Token, env),
    link_open: (tokens: Token[], index: number, _: unknown, env: RenderEnv) =>
      renderLinkOpen(
        getAttribute(tokens[index], 'href'),
        getAttribute(tokens[index], 'title'),
        env,
      ),
    image: () => '',
    s_open: () => '<del>',
    s_close: () => '</del>',
  })
  return markdownIt
}

const URL_CHARACTERS = /[^\s<>"'`]+/y

/** The length of a URL behind its scheme, without punctuation at its end, which belongs to the sentence. */
function measureUrl(text: string, start: number): number {
  URL_CHARACTERS.lastIndex = start
  const match = URL_CHARACTERS.exec(text)?.[0] ?? ''
  let end = match.length
  while (end > 0 && '.,:;!?)]}*_~'.includes(match.charAt(end - 1))) {
    end -= 1
  }
  return end
}

/**
 * Collects references from the text directly in a paragraph, heading, item or cell, but not from emphasised
 * or linked text; and turns autolinks with an unsafe URL back into text.
 */
function collectReferences(children: Token[], references: ReferenceCollector): void {
  let depth = 0
  for (const [index, token] of children.entries()) {
    depth += token.nesting
    if (token.type === 'text' && depth === 0) {
      token.meta = { segments: references.splitText(token.content) }
    }
    if (token.type === 'link_open') {
      const href = getAttribute(token, 'href')
      if (token.markup === 'autolink' && sanitizeHref(href) === '') {
        unlink(children, index)
        depth -= 1
        continue
      }
      const isLinked = references.addLink(href, getAttribute(token, 'title')) !== ''
      token.attrs = isLinked ? token.attrs : [['href', '']]
    }
  }
}

function getAttribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '')
}

/** Turns an autolink such as `<foo:bar>` back into the text that was typed. */
function unlink(children: Token[], index: number): void {
  const [open, text, close] = children.slice(index, index + 3)
  if (open !== undefined && text !== undefined && close !== undefined) {
    Object.assign(open, { type: 'text', nesting: 0, content: '<' })
    Object.assign(close, { type: 'text', nesting: 0, content: '>' })
  }
}

/** Makes `[ ]` or `[x]` at the start of an item a checkbox. */
function markTask(token: Token | undefined): void {
  const [mark] = /^\[[ xX]\](?=\s)/.exec(token?.content ?? '') ?? []
  const [first, ...rest] = (token?.meta?.segments ?? []) as TextSegment[]
  if (token !== undefined && mark !== undefined && first !== undefined) {
    const unmarked = { ...first, text: first.text.slice(mark.length) }
    token.meta = { segments: [unmarked, ...rest], box: mark === '[ ]' ? 'empty' : 'checked' }
  }
}

function splitAtUrls(markdownIt: MarkdownIt, line: string): LineSegment[] {
  const segments: LineSegment[] = []
  let end = 0
  for (const { index, lastIndex, text, url } of markdownIt.linkify.match(line) ?? []) {
    segments.push({ text: line.slice(end, index), href: null })
    segments.push({ text, href: markdownIt.normalizeLink(url) })
    end = lastIndex
  }
  return [...segments, { text: line.slice(end), href: null }]
}
