import { texts } from 'lacewing:documentation'
import { html, raw } from 'hono/html'
import type { ApiDocument } from '../../../platform/http/openapi/shape.ts'
import { ADDRESS, type PageLink, renderLayout } from './layout.ts'
import { cutSection, DocumentationMarkdown, type Heading, titleOf } from './markdown.ts'
import { type DescribedOperation, listOperations } from './operations.ts'
import { renderPanel } from './panel.ts'

/** The pages that readers want first; the others follow in the order of the operations. */
const FIRST = [
  'concepts',
  'recipes',
  'clients',
  'administration',
  'operation',
  'conventions',
  'authentication',
  'errors',
]

/** The parts of the start page that come from pages: heading, page, anchors. */
const PARTS: readonly [title: string, page: string, anchors: readonly string[]][] = [
  ['Authentication', 'authentication', ['present-credentials', 'which-credential-decides']],
  ['Errors', 'errors', ['status-of-an-error', 'table-of-errors']],
]

/** The documentation of the API, made of the pages of the reference and of the description of the API. */
export class DocumentationSite {
  readonly #markdown = new DocumentationMarkdown()
  readonly #operations: readonly DescribedOperation[]
  readonly #links: readonly PageLink[]
  /** By name; only pages that exist are kept. */
  readonly #rendered = new Map<string, string>()

  constructor(document: ApiDocument) {
    this.#operations = listOperations(document)
    const described = this.#operations.map(({ place }) => place.replace(/#.*$/, ''))
    const names = [...new Set([...FIRST, ...described, ...Object.keys(texts)])]
    this.#links = names
      .filter((name) => name in texts)
      .map((name) => ({ name, title: titleOf(texts[name] ?? '') }))
  }

  /**
   * The HTML of a page, for a service at this address; of the start page for the empty name. Null for a page that does
   * not exist.
   */
  async renderPage(name: string, address: string): Promise<string | null> {
    const page = this.#rendered.get(name) ?? (await this.#render(name))
    if (page === null) {
      return null
    }
    this.#rendered.set(name, page)
    return page.replaceAll(ADDRESS, address)
  }

  async #render(name: string): Promise<string | null> {
    if (name === '') {
      return this.#renderStart()
    }
    const link = this.#links.find((one) => one.name === name)
    if (link === undefined) {
      return null
    }
    const { html: content, headings } = this.#markdown.render(name, texts[name] ?? '', (anchor) =>
      this.#renderPanels(`${name}#${anchor}`),
    )
    return String(await renderLayout({ ...link, headings }, this.#links, content))
  }

  #renderPanels(place: string): string {
    return this.#operations
      .filter((one) => one.place === place)
      .map((one) => String(renderPanel(one, this.#markdown)))
      .join('')
  }

  async #renderStart(): Promise<string> {
    const parts = PARTS.map(([title, page, anchors]) => {
      const sections = anchors.map((anchor) => cutText(page, anchor)).join('\n')
      const { html: content } = this.#markdown.render(page, sections)
      const anchor = title.toLowerCase()
      return {
        heading: { anchor, text: title },
        content: html`<h2 id="${anchor}">${title}</h2>
${raw(content)}<p><a href="/docs/${page}">All about it</a></p>`,
      }
    })
    const headings: Heading[] = [
      { anchor: 'first-steps', text: 'First steps' },
      { anchor: 'operations', text: 'All operations' },
      ...parts.map(({ heading }) => heading),
    ]
    const content = html`${renderFirstSteps()}
${renderOperationTable(this.#operations)}
${parts.map((part) => part.content)}`
    const start = { name: '', title: 'Documentation of the API', headings }
    return String(await renderLayout(start, this.#links, String(content)))
  }
}

/** A section with its heading one level lower, because it stands in a part. */
function cutText(page: string, anchor: string): string {
  const text = texts[page] ?? ''
  const heading = /^## (.*)$/gm
  const title = [...text.matchAll(heading)].map(([, one = '']) => one)
  const found = title.find((one) => one.toLowerCase().replaceAll(' ', '-') === anchor) ?? anchor
  return `### ${found}\n${cutSection(text, anchor)}`
}

function renderFirstSteps() {
  return html`<h2 id="first-steps">First steps</h2>
<p>The API answers below <code>${ADDRESS}/rest</code>, in JSON.</p>
<pre tabindex="0"><code>curl ${ADDRESS}/rest/version
curl -H 'X-Tracker-API-Key: KEY' ${ADDRESS}/rest/whoami
curl -H 'X-Tracker-API-Key: KEY' '${ADDRESS}/rest/bug?quicksearch=lamp'</code></pre>
<ul>
<li>Who sees what, how people hear of changes, how bugs are found: <a href="/docs/concepts">concepts</a>.</li>
<li>Existing clients and generated ones: <a href="/docs/recipes">recipes</a>.</li>
<li>How requests and answers look, pages, retries, caching, limits: <a href="/docs/conventions">conventions</a>.</li>
<li>From an empty tracker to a team at work: <a href="/docs/administration">administration</a>.</li>
<li>How to run, deploy and watch a tracker: <a href="/docs/operation">operation</a>.</li>
<li>For programs: <a href="/rest/openapi.json">the same as OpenAPI 3.1</a>.</li>
</ul>`
}

function renderOperationTable(operations: readonly DescribedOperation[]) {
  const rows = operations.map(
    ({ method, path, summary, place }) =>
      html`<tr><td><code>${method}</code></td><td><a href="/docs/${place}"><code>${path}</code></a></td><td>${summary}</td></tr>
`,
  )
  return html`<h2 id="operations">All operations</h2>
<div class="wide" tabindex="0" role="group" aria-label="All operations"><table>
<thead><tr><th scope="col">method</th><th scope="col">path</th><th scope="col">what it does</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}
