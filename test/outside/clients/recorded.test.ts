import { beforeAll, expect } from 'vitest'
import { describeClient } from './outcomes.ts'
import { LIBRARIES } from './recorded-libraries.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { TOOLS } from './recorded-tools.ts'
import { KEY, LOGIN, PASSWORD, PLACE, requestAs, trackerUrl } from './tracker.ts'

/** Values for the names in the recorded requests. */
const names: Record<string, string> = { KEY, LOGIN, PASSWORD }

/** What makes one client or another give up: fractions of seconds, and null where a text is expected. */
const INTOLERABLE = [
  /T\d\d:\d\d:\d\d\.\d+Z/,
  /"(qa_contact|url|whiteboard|resolution|requestee)":\s*null/,
]

beforeAll(async () => {
  const url = trackerUrl()
  const bug = { ...PLACE, description: 'For the requests of clients' }
  const file = {
    data: btoa('x'),
    file_name: 'a.txt',
    summary: 'A file',
    content_type: 'text/plain',
  }
  const [one, two] = [
    await requestAs(url, 'POST', '/rest/bug', { ...bug, summary: 'One' }),
    await requestAs(url, 'POST', '/rest/bug', { ...bug, summary: 'Other' }),
  ]
  const attached = await requestAs(url, 'POST', `/rest/bug/${one.id}/attachment`, file)
  const { bugs } = await requestAs(url, 'GET', `/rest/bug/${one.id}/comment`)
  const login = new URLSearchParams({ login: LOGIN, password: PASSWORD })
  const { token } = await requestAs(url, 'GET', `/rest/login?${login}`, undefined, {})
  names.BUG = String(one.id)
  names.OTHER = String(two.id)
  names.FILE = String(attached.ids[0])
  names.COMMENT = String(bugs[one.id].comments[0].id)
  names.TOKEN = token
})

for (const [client, commands] of Object.entries({ ...LIBRARIES, ...TOOLS })) {
  describeClient(`${client}, its requests`, true, (testCommand) => {
    for (const [command, ...requests] of commands) {
      testCommand(command, async () => {
        for (const request of requests) {
          await expectSuccess(request)
        }
      })
    }
  })
}

/** Sends a request and compares the answer with what its client reads of it. */
async function expectSuccess(request: RecordedRequest): Promise<void> {
  const { method, path, body, headers = {}, status = 200, answer } = request
  const response = await fetch(trackerUrl() + fillText(path), {
    method,
    headers: fill(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body: JSON.stringify(fill(body)) }),
  })
  const text = await response.text()
  expect(response.status, `${method} ${path}: ${text}`).toBe(status)
  expect(response.headers.get('access-control-allow-origin'), path).toBe('*')
  for (const intolerable of INTOLERABLE) {
    expect(text, `${method} ${path}`).not.toMatch(intolerable)
  }
  if (answer !== undefined) {
    expectParts(JSON.parse(text), fill(answer), path)
  }
}

/** Expects every part of a pattern in a value; a list begins with its items, and is empty without any. */
function expectParts(value: unknown, pattern: unknown, at: string): void {
  if (pattern === '$ANY') {
    expect(value ?? null, at).not.toBeNull()
  } else if (pattern === '$NONE') {
    expect(value, at).toBeUndefined()
  } else if (typeof pattern === 'object' && pattern !== null) {
    expect(typeof value, at).toBe('object')
    if (Array.isArray(pattern) && pattern.length === 0) {
      expect(value, at).toEqual([])
    }
    for (const [name, part] of Object.entries(pattern)) {
      expectParts((value as Record<string, unknown>)[name], part, `${at} ${name}`)
    }
  } else {
    expect(typeof value === 'number' ? String(value) : value, at).toBe(
      typeof pattern === 'number' ? String(pattern) : pattern,
    )
  }
}

function fill(value: unknown): unknown {
  if (typeof value === 'string') {
    return fillText(value)
  }
  if (Array.isArray(value)) {
    return value.map(fill)
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [fillText(name), fill(part)]))
    : value
}

function fillText(text: string): string {
  return text.replaceAll(/\$([A-Z]+)/g, (whole, name) => names[name] ?? whole)
}
