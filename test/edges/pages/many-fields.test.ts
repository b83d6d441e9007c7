import { exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { MAX_FIELDS } from '../../../src/edges/pages/read-form.ts'
import { Browser } from '../../support/browser.ts'
import { insertPerson } from '../../support/builders/people.ts'

const ORIGIN = 'https://tracker.test'
const PASSWORD = 'a-long-password'

const person = await insertPerson({ password: PASSWORD })

/** Sends the form of a login with so many fields, in the encoding of files or the ordinary one. */
async function logIn(fields: number, file?: File): Promise<number> {
  const form = { login: person.login, password: PASSWORD, return: '/' }
  const known = Object.keys(form).length + 1 + (file ? 1 : 0)
  const more = Array.from({ length: fields - known }, () => '')
  const sent = { ...form, more, ...(file && { file }) }
  return (await new Browser().submit('/login', '/login', sent)).status
}

describe.each([undefined, new File(['a'], 'a.txt')])('a form with %s', (file) => {
  test('has many fields', async () => {
    expect(await logIn(MAX_FIELDS - 1, file)).toBe(303)
  })

  test('is none where it has more fields than are read', async () => {
    expect(await logIn(MAX_FIELDS + 2, file)).toBe(403)
  })
})

test.each([
  ['application/x-www-form-urlencoded', 'a&'.repeat(500_000)],
  ['multipart/form-data; boundary=X', '--X\r\n'.repeat(200_000)],
  ['multipart/form-data; boundary="\\X"', '--X\r\n'.repeat(200_000)],
  ['multipart/form-data', '--X\r\n'.repeat(200_000)],
])("a stranger's body of %s is not read as a form", async (type, body) => {
  const answer = await exports.default.fetch(`${ORIGIN}/login`, {
    ...{ method: 'POST', body },
    headers: { accept: 'text/html', origin: ORIGIN, 'content-type': type },
  })
  expect(answer.status).toBe(403)
  await answer.body?.cancel()
})
