import { html, raw } from 'hono/html'
import { ADDRESS } from './layout.ts'
import type { DocumentationMarkdown } from './markdown.ts'
import { writeType } from './notation.ts'
import type { DescribedOperation } from './operations.ts'

type Html = ReturnType<typeof html>

const CREDENTIALS: Readonly<Record<DescribedOperation['credentials'], string>> = {
  needed: 'Needs credentials.',
  optional: 'Serves anonymous callers too; credentials show and allow more.',
  ignored: 'Takes no credentials.',
  signature: 'The body is signed.',
}

/** Everything that the description of the API says of an operation, folded up below one line. */
export function renderPanel(operation: DescribedOperation, markdown: DocumentationMarkdown): Html {
  const { method, path, summary, credentials, answer } = operation
  return html`<details class="operation">
<summary><code class="method">${method}</code> <code>${path}</code> <span>${summary}</span></summary>
<p>${CREDENTIALS[credentials]} <a href="/docs#authentication">Credentials</a></p>
${renderParameters(operation, markdown)}
${renderBody(operation, markdown)}
<h4>Answer ${answer.status}</h4>
<pre tabindex="0"><code>${writeType(answer.schema)}</code></pre>
${
  answer.example === undefined
    ? ''
    : html`<p>For example:</p>
<pre tabindex="0"><code>${JSON.stringify(answer.example, null, 2)}</code></pre>`
}
<h4>Errors</h4>
${renderFaults(operation)}
<h4>With curl</h4>
<pre tabindex="0"><code>${writeCurl(operation)}</code></pre>
</details>
`
}

function renderParameters(
  { parameters }: DescribedOperation,
  markdown: DocumentationMarkdown,
): Html {
  if (parameters.length === 0) {
    return html`<p>It has no parameters.</p>`
  }
  const rows = parameters.map(
    ({ name, in: place, required, schema, description = '' }) =>
      html`<tr><td><code>${name}</code></td><td>${place}${required ? ', required' : ''}</td>
<td>${writeType(schema)}</td><td>${raw(markdown.renderInline(description))}</td></tr>
`,
  )
  return html`<h4>Parameters</h4>
<div class="wide" tabindex="0" role="group" aria-label="Parameters"><table>
<thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function renderBody({ body }: DescribedOperation, markdown: DocumentationMarkdown): Html | '' {
  if (body === null) {
    return ''
  }
  const needed = new Set((body.schema.required ?? []) as string[])
  const members = Object.entries(body.schema.properties as Record<string, Record<string, unknown>>)
  const rows = members.map(
    ([name, schema]) =>
      html`<tr><td><code>${name}</code>${needed.has(name) ? ', required' : ''}</td>
<td><code>${writeType(schema)}</code></td><td>${raw(markdown.renderInline(String(schema.description ?? '')))}</td></tr>
`,
  )
  return html`<h4>Body</h4>
<div class="wide" tabindex="0" role="group" aria-label="Members of the body"><table>
<thead><tr><th scope="col">member</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function renderFaults({ faults }: DescribedOperation): Html {
  const items = faults.map(
    ({ code, status, message }) =>
      html`<li><a href="/docs/errors#error-${code}">${code}</a> (${status}) ${message}</li>
`,
  )
  return html`<ul class="faults">${items}</ul>`
}

/** A command that works in a shell, but for IDs and names that the caller has to fill in. */
function writeCurl({ method, path, credentials, parameters, body }: DescribedOperation): string {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required)
  const query = needed.map(({ name }) => `${name}=…`).join('&')
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${ADDRESS}${path}${query === '' ? '' : `?${query}`}'`,
    ...(credentials === 'needed' || credentials === 'optional'
      ? ["-H 'X-Tracker-API-Key: KEY'"]
      : []),
    ...(method === 'POST' && credentials !== 'signature' ? ["-H 'Idempotency-Key: UNIQUE'"] : []),
    ...(body?.example === undefined
      ? []
      : [`-d '${JSON.stringify(body.example).replaceAll("'", "'\\''")}'`]),
  ]
  return parts.join(' \\\n  ')
}
