/** A request of a page and the answer that the page promises. */
export type Example = {
  readonly line: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly answer: {
    readonly kind: 'json' | 'text'
    readonly status: number
    readonly text: string
  }
}

type Block = { line: number; info: string; text: string }

const FENCE = /^```(.*)$/
const REQUEST_LINE = /^(GET|POST|PUT|DELETE|HEAD|OPTIONS) (\/\S*)$/
const HEADER_LINE = /^([A-Za-z][A-Za-z0-9-]*): (.+)$/
const ANSWER_INFO = /^(json|text)(?: (\d{3}))?$/
const HEADING = /^(#+) +(.+?) *$/gm
const OPERATION = /`((?:GET|POST|PUT|DELETE) \/rest\/\S+)`/g

/** The examples of a page, from top to bottom. Throws for a block that it does not understand. */
export function readExamples(markdown: string): Example[] {
  const blocks = readBlocks(markdown)
  const examples: Example[] = []
  for (let at = 0; at < blocks.length; at += 2) {
    const [request, answer] = [blocks[at], blocks[at + 1]]
    if (request?.info !== 'http') {
      throw new Error(`line ${request?.line}: expected a block \`\`\`http`)
    }
    if (answer === undefined || !ANSWER_INFO.test(answer.info)) {
      throw new Error(`line ${request.line}: no \`\`\`json or \`\`\`text follows with its answer`)
    }
    examples.push({ ...readRequest(request), answer: readAnswer(answer) })
  }
  return examples
}

/** The headings of a page with their depth, without what merely looks like one in a block. */
export function readHeadings(markdown: string): { depth: number; title: string }[] {
  return [...withoutBlocks(markdown).matchAll(HEADING)].map(([, marks = '', title = '']) => ({
    depth: marks.length,
    title,
  }))
}

/** The operations that a page describes: what stands in backticks as `METHOD /rest/path`. */
export function readOperations(markdown: string): string[] {
  const found = [...withoutBlocks(markdown).matchAll(OPERATION)].map(([, name = '']) => name)
  return [...new Set(found)]
}

/** What stands below the heading with this anchor, until the next one of its depth or above. */
export function readSection(markdown: string, anchor: string): string {
  const text = withoutBlocks(markdown)
  const headings = [...text.matchAll(HEADING)]
  const at = headings.findIndex(([, , title = '']) => anchorOf(title) === anchor)
  const depth = headings[at]?.[1]?.length ?? 0
  const next = headings.slice(at + 1).find(([, marks = '']) => marks.length <= depth)
  return at === -1 ? '' : text.slice(headings[at]?.index, next?.index)
}

/** The targets of the links of a page that lead to other pages or headings. */
export function readLinks(markdown: string): { page: string; anchor: string }[] {
  const links = [...withoutBlocks(markdown).matchAll(/\]\(([\w-]*(?:\.md)?)(?:#([^)]*))?\)/g)]
  return links.map(([, page = '', anchor = '']) => ({ page, anchor }))
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function readRequest({ line, text }: Block): Omit<Example, 'answer'> {
  const [head = '', ...rest] = text.split('\n\n')
  const [first = '', ...headerLines] = head.split('\n')
  const [, method, path] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || path === undefined) {
    throw new Error(`line ${line}: '${first}' is not METHOD /path`)
  }
  const headers = headerLines.map((headerLine): [string, string] => {
    const [, name, value] = HEADER_LINE.exec(headerLine) ?? []
    if (name === undefined || value === undefined) {
      throw new Error(`line ${line}: '${headerLine}' is not a header`)
    }
    return [name, value]
  })
  const body = rest.length === 0 ? undefined : parseJson(rest.join('\n\n'), line)
  return { line, method, path, headers: Object.fromEntries(headers), body }
}

function readAnswer({ line, info, text }: Block): Example['answer'] {
  const [, kind, status = '200'] = ANSWER_INFO.exec(info) ?? []
  if (kind === 'json') {
    parseJson(text, line)
    return { kind, status: Number(status), text }
  }
  return { kind: 'text', status: Number(status), text }
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`line ${line}: ${String(error)}`)
  }
}

function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; info: string; lines: string[] } | undefined
  for (const [index, text] of markdown.split('\n').entries()) {
    const info = FENCE.exec(text.trimEnd())?.[1]
    if (open === undefined && info !== undefined) {
      open = { line: index + 1, info, lines: [] }
    } else if (open !== undefined && info !== undefined) {
      blocks.push({ line: open.line, info: open.info, text: open.lines.join('\n') })
      open = undefined
    } else {
      open?.lines.push(text)
    }
  }
  if (open !== undefined) {
    throw new Error(`line ${open.line}: the block has no end`)
  }
  return blocks
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```[^\n]*\n.*?^```$/gms, '')
}
