import { describe, expect, test } from 'vitest'
import { insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { expectFault, post, put } from '../../support/client.ts'
import { countRows } from '../../support/database/execute.ts'

/** Times 160 bugs, less and more than 4 MB. */
const [FITTING, LONG] = ['x'.repeat(24_000), 'é'.repeat(12_600)]

const editor = await insertPerson({ roles: ['editbugs'] })
const ids = (await insertBugs(editor, 160)).ids

const WRITES = {
  'an update': (text: string) =>
    put(editor, `/rest/bug/${ids[0]}`, { ids, comment: { body: text } }),
  'a comment': (text: string) =>
    post(editor, `/rest/bug/${ids[0]}/comment`, { ids, comment: text }),
  'an attachment': (text: string) =>
    post(editor, `/rest/bug/${ids[0]}/attachment`, {
      ...{ ids, comment: text, summary: 's', file_name: 'f' },
      ...{ content_type: 'text/plain', data: btoa('x') },
    }),
}

describe.each(Object.entries(WRITES))('%s on many bugs', (_, write) => {
  test('is refused where its text is over 4 MB for all of them, and nothing is written', async () => {
    const before = await countRows('comments')
    expectFault(await write(LONG), 400, 114, '160 bugs may have at most 25000 bytes')
    expect(await countRows('comments')).toBe(before)
  })

  test('stands on each of them where it fits', async () => {
    const before = await countRows('comments')
    expect((await write(FITTING)).status).toBeLessThan(300)
    expect(await countRows('comments')).toBe(before + ids.length)
  })
})
