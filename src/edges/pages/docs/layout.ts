import { html, raw } from 'hono/html'
import { COMMIT, VERSION } from '../../server/version.ts'
import type { Heading } from './markdown.ts'

/** Placeholder for the address of the service, filled in with each response. */
export const ADDRESS = 'https://tracker.example'

const BUILD = COMMIT === null ? VERSION : `${VERSION}, commit ${COMMIT}`

export type PageLink = { readonly name: string; readonly title: string }

export function renderLayout(
  { name, title, headings }: PageLink & { headings: readonly Heading[] },
  links: readonly PageLink[],
  content: string,
) {
  const current = (one: string) => (one === name ? raw(' aria-current="page"') : '')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Lacewing API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="/">Lacewing</a> <a href="/docs"${current('')}>Documentation</a> <a href="/rest/openapi.json">OpenAPI</a> <span>${BUILD}</span></header>
<div class="columns">
<nav aria-label="Pages"><ul>
${links.map(
  (link) => html`<li><a href="/docs/${link.name}"${current(link.name)}>${link.title}</a></li>
`,
)}</ul></nav>
<main id="content">
<h1>${title}</h1>
${
  headings.length < 3
    ? ''
    : html`<nav aria-label="On this page" class="contents"><ul>
${headings.map(
  ({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>
`,
)}</ul></nav>`
}
${raw(content)}
</main>
</div>
</body>
</html>
`
}

export const STYLE = `:root { color-scheme: light dark; font: 1rem/1.55 system-ui, sans-serif;
  --line: light-dark(#d4d4d8, #3f3f46); --soft: light-dark(#f4f4f5, #232327); --link: light-dark(#1d4ed8, #93c5fd); }
* { box-sizing: border-box; }
body { margin: 0; color: light-dark(#18181b, #e4e4e7); background: light-dark(#fff, #18181b); }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: .15rem solid var(--link); outline-offset: .1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line); }
header span { min-width: 0; overflow-wrap: anywhere; }
header a:first-child { font-weight: 700; text-decoration: none; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; padding: .25rem .75rem; background: Canvas; }
.columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2rem; max-width: 82rem; padding: 1rem 1.5rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: .15rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 700; }
.columns > nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
.contents ul { columns: 16rem; padding: .75rem 1rem; background: var(--soft); border-radius: .4rem; }
main { max-width: 64rem; }
h1, h2, h3, h4 { line-height: 1.25; scroll-margin-top: 1rem; }
h2 { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
code, pre { font-family: ui-monospace, monospace; font-size: .92em; }
code { overflow-wrap: break-word; }
pre { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); overflow-x: auto; }
pre code { overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tr:target { background: var(--soft); }
.operation { margin: .5rem 0; border: 1px solid var(--line); border-radius: .4rem; }
.operation > :not(summary) { margin-left: 1rem; margin-right: 1rem; }
.operation summary { padding: .5rem 1rem; cursor: pointer; background: var(--soft); }
.method { font-weight: 700; }
.faults { padding-left: 1.25rem; }
@media (max-width: 52rem) { .columns { grid-template-columns: minmax(0, 1fr); }
  .columns > nav { position: static; max-height: none; } .columns > nav ul { columns: 9rem; } }
`
