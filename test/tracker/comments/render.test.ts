import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, expectFault, post, type Sender } from '../../support/client.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { fetchWith } from '../../support/clients/service.ts'

const PATH = '/rest/bug/comment/render'
const MISSING = 2_147_483_000

const reporter = await insertPerson()
const member = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const secret = await insertGroup([member])
const open = await insertBug({ summary: 'An "open" one', reporter })
const hidden = await insertBug({ summary: 'A hidden one' })
await restrictBug(hidden.id, secret)

async function html(text: string, who: Sender = ANYONE, more: object = {}): Promise<string> {
  const answer = await post(who, PATH, { text, ...more })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.html
}

describe('POST /bug/comment/render', () => {
  test('renders HTML without a login, and without a round trip where the text names nothing', async () => {
    const answer = await post(ANYONE, PATH, { text: '*a*\r\n<b>' })

    expect(answer).toMatchObject({ status: 200, cost: { trips: 0 } })
    expect(answer.body).toEqual({ html: '<p><em>a</em><br>\n&lt;b&gt;</p>\n' })
    expect(await html('')).toBe('')
  })

  test('links what the text names and the caller sees, in one round trip', async () => {
    const attachment = await insertAttachment(open, reporter, { summary: 'A <patch>' })
    const text = `bug ${open.id}, bug ${hidden.id}, attachment ${attachment}, comment 2`
    const answer = await post(ANYONE, PATH, { text, id: open.id })

    expect(answer.cost.trips).toBe(1)
    expect(answer.body.html).toBe(
      `<p><a href="https://tracker.test/bug/${open.id}" class="bug-link status-CONFIRMED" title="CONFIRMED - An &quot;open&quot; one">bug ${open.id}</a>, bug ${hidden.id}, <a href="https://tracker.test/attachment/${attachment}" class="attachment-link" title="A &lt;patch&gt;">attachment ${attachment}</a> <a href="https://tracker.test/attachment/${attachment}/details">[details]</a>, <a href="https://tracker.test/bug/${open.id}#c2">comment 2</a></p>\n`,
    )
  })

  test('links comments of the bug that an alias names', async () => {
    await updateBugRow(open.id, { alias: 'render-me', alias_fold: 'render-me' })

    for (const id of ['render-me', `#${open.id}`, String(open.id)]) {
      expect(await html('comment 7', ANYONE, { id })).toContain(`/bug/${open.id}#c7"`)
    }
    expect(await html('comment 7')).toBe('<p>comment 7</p>\n')
  })

  test('leaves a text as it is where Markdown is switched off', async () => {
    const answer = await fetchWith({ USE_MARKDOWN: 'off' }, PATH, {
      method: 'POST',
      body: JSON.stringify({ text: '*a* <b>' }),
    })

    expect(await answer.json()).toEqual({ html: '<pre class="plain">*a* &lt;b&gt;</pre>\n' })
  })

  test('reads no row for things that the text does not name', async () => {
    const cost = async (text: string) => (await post(ANYONE, PATH, { text })).cost.read
    const once = await cost(`bug ${open.id}`)

    expect(await cost(`bug ${open.id} `.repeat(500))).toBe(once)
    expect(await cost('words '.repeat(500))).toBe(0)
  })

  test('links a thousand bugs in one round trip', async () => {
    const text = Array.from({ length: 2000 }, (_, i) => `bug ${i + 1}`).join(' ')

    expect((await post(reporter, PATH, { text })).cost.trips).toBe(2)
  })
})

describe('POST /bug/comment/render', () => {
  test.each<[string, unknown, number]>([
    ['no text', {}, 50],
    ['null', { text: null }, 50],
    ['an object', { text: {} }, 53],
    ['65,536 characters', { text: 'x'.repeat(65_536) }, 114],
    ['an unknown alias', { text: 'x', id: 'no-such-alias' }, 100],
    ['a number that no bug has', { text: 'x', id: MISSING }, 101],
  ])('rejects %s', async (_, body, code) => {
    await expectRefusal(() => post(ANYONE, PATH, body), code)
  })

  test('rejects a hidden bug to stand on', async () => {
    for (const who of [ANYONE, reporter, insider]) {
      expectFault(await post(who, PATH, { text: 'x', id: hidden.id }), 401, 102)
    }
    expect(await html('comment 1', member, { id: hidden.id })).toContain(`/bug/${hidden.id}#c1`)
  })
})

describe('POST /bug/comment/render', () => {
  /** The same text about a thing that may be seen by some, and about one that does not exist. */
  async function likeMissing(write: (id: number) => string, id: number, who: Sender) {
    const [about, missing] = [await html(write(id), who), await html(write(MISSING), who)]
    return about.replaceAll(String(id), 'N') === missing.replaceAll(String(MISSING), 'N')
  }

  test.each([
    (id: number) => `bug ${id}`,
    (id: number) => `bug ${id} comment 1`,
    (id: number) => `https://tracker.test/bug/${id}`,
    (id: number) => `[x](https://tracker.test/show_bug.cgi?id=${id}#c1)`,
    (id: number) => `#[markdown(off)]\n> bug ${id} https://tracker.test/bug/${id}`,
  ])('hides that a bug exists: %s', async (write) => {
    for (const who of [ANYONE, reporter, insider]) {
      expect(await likeMissing(write, hidden.id, who)).toBe(true)
    }
    expect(await likeMissing(write, hidden.id, member)).toBe(false)
    expect(await html(write(hidden.id), member)).toContain('title="CONFIRMED - A hidden one"')
  })

  test('hides that an attachment exists, on a hidden bug or private', async () => {
    const far = await insertAttachment(hidden, reporter, { summary: 'Far' })
    const shy = await insertAttachment(open, reporter, { summary: 'Shy', isPrivate: true })
    const write = (id: number) => `attachment ${id}`

    expect(await likeMissing(write, far, reporter)).toBe(true)
    expect(await likeMissing(write, far, member)).toBe(false)
    for (const who of [ANYONE, member]) {
      expect(await likeMissing(write, shy, who)).toBe(true)
    }
    for (const who of [reporter, insider]) {
      expect(await html(write(shy), who)).toContain('title="Shy"')
    }
  })
})

test('renders up to 10,000 characters for callers without a login, and more for others', async () => {
  const person = await insertPerson()
  const path = PATH
  expectFault(await post(ANYONE, path, { text: 'x'.repeat(10_001) }), 400, 114, '10000')
  expect((await post(ANYONE, path, { text: 'x'.repeat(10_000) })).status).toBe(200)
  expect((await post(person, path, { text: 'x'.repeat(10_001) })).status).toBe(200)
})
