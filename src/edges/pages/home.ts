import { html } from 'hono/html'

/** The home page. It names the API and explains the limit to clients redirected from a long query. */
export function homePage(origin: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lacewing</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
  code, pre { font-family: ui-monospace, monospace; }
  pre { padding: .75rem 1rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto; }
</style>
</head>
<body>
<h1>Lacewing</h1>
<p>This is a bug tracker with a REST API. It answers below <code>${origin}/rest</code>.</p>
<pre>curl ${origin}/rest/version</pre>
<ul>
  <li><a href="/docs">The documentation</a>: every operation, credentials, errors, recipes for clients</li>
  <li><a href="/rest/openapi.json">The description of every operation</a> (OpenAPI 3.1)</li>
  <li><a href="/healthz">Health</a></li>
</ul>
<h2>Sent here by a long query?</h2>
<p>Query strings are limited to 10&nbsp;KB, which is about 1,000 bug IDs. Ask for fewer IDs at a time.</p>
</body>
</html>`
}
