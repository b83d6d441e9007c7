/**
 * The story of a bug, by a client that is generated from the description of the API: a program that is
 * checked against the generated types and then run. It prints its observations as JSON.
 */
import createClient from 'openapi-fetch'
import type { paths } from './api'

const [, , baseUrl = '', login = '', password = ''] = process.argv
const anonymous = createClient<paths>({ baseUrl })

const signedIn = await anonymous.GET('/rest/login', { params: { query: { login, password } } })
const token = signedIn.data?.token ?? ''
const client = createClient<paths>({ baseUrl, headers: { 'X-Tracker-Token': token } })

const body = {
  product: 'TestProduct',
  component: 'TestComponent',
  version: 'unspecified',
  type: 'defect',
  summary: 'The lamp is dark',
  description: 'At night.',
}
const header = { 'Idempotency-Key': crypto.randomUUID() }
const filed = await client.POST('/rest/bug', { params: { header }, body })
const again = await client.POST('/rest/bug', { params: { header }, body })
const id = String(filed.data?.id)
const other = await client.POST('/rest/bug', { body: { ...body, depends_on: [Number(id)] } })

const path = { id_or_alias: id }
const comment = await client.POST('/rest/bug/{id_or_alias}/comment', {
  params: { path },
  body: { comment: 'By day too.' },
})
const attached = await client.POST('/rest/bug/{id_or_alias}/attachment', {
  params: { path },
  body: {
    data: btoa('a plan'),
    file_name: 'plan.txt',
    summary: 'The plan',
    content_type: 'text/plain',
  },
})

const read = await client.GET('/rest/bug/{id_or_alias}', { params: { path } })
const ifMatch = read.response.headers.get('etag') ?? ''
const change = { status: 'RESOLVED', resolution: 'FIXED', keywords: { add: [] }, alias: 'lamp' }
const changed = await client.PUT('/rest/bug/{id_or_alias}', {
  params: { path, header: { 'If-Match': ifMatch } },
  body: { ...change, cc: { add: [login] }, comment: { body: 'A new bulb.' } },
})
const late = await client.PUT('/rest/bug/{id_or_alias}', {
  params: { path, header: { 'If-Match': ifMatch } },
  body: { priority: 'P1' },
})

const found = await client.GET('/rest/bug', {
  params: { query: { summary: ['lamp'], status: ['RESOLVED'], include_fields: ['id', 'alias'] } },
})
const comments = await client.GET('/rest/bug/{id_or_alias}/comment', { params: { path } })
const history = await client.GET('/rest/bug/{id_or_alias}/history', { params: { path } })
const missing = await anonymous.GET('/rest/bug/{id_or_alias}', {
  params: { path: { id_or_alias: '987654' } },
})

const attachments = Object.values(attached.data?.attachments ?? {})
const bugs = found.data?.bugs ?? []
const changes = (history.data?.bugs ?? [])
  .flatMap((bug) => bug.history ?? [])
  .flatMap((entry) => entry.changes ?? [])
const saw = {
  caller: signedIn.data?.id,
  repeated: filed.data?.id === again.data?.id && again.response.headers.has('idempotent-replayed'),
  other: typeof other.data?.id,
  comment: typeof comment.data?.id,
  attachment: attachments.map(({ summary }) => summary),
  changes: changed.data?.bugs.map(({ changes }) => changes.status?.added),
  refused: late.error?.code,
  found: bugs.map(({ alias }) => alias),
  texts: comments.data?.bugs[id]?.comments?.map(({ text }) => text),
  fields: changes.map(({ field_name }) => field_name),
  missing: missing.error?.code,
}
process.stdout.write(JSON.stringify(saw))
