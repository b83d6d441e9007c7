import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../src/tracker/bugs/change/input.ts'
import { insertAttachment } from '../support/builders/attachments.ts'
import { postBug } from '../support/builders/bugs.ts'
import { buildCtx } from '../support/builders/callers.ts'
import { insertFlagType, insertManyFlags } from '../support/builders/flags.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestFlagType, TestProduct } from '../support/builders/types.ts'
import { put } from '../support/client.ts'
import { changeBug } from '../support/clients/bugs.ts'
import { expectRefusal } from '../support/clients/refusals.ts'
import { loadRowsOfBug } from '../support/database/bugs.ts'
import { execute } from '../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../support/database/flags.ts'
import { openInterruptedSession } from '../support/fakes/sessions.ts'

let bug: number

const place = await insertProduct()
const reporter = await insertPerson()
const ann = await insertPerson()
const editor = await insertPerson({ roles: ['editbugs'] })

beforeEach(async () => {
  bug = await postBug(reporter, place)
})

const flagChange = (removed: string, added: string) => ({ 'flagtypes.name': { removed, added } })

async function flagHistoryOf(id: number): Promise<string[]> {
  const rows = (await loadRowsOfBug('history', id)).filter(
    ({ field }) => field === 'flagtypes.name',
  )
  return rows.map(({ removed, added }) => `${removed} > ${added}`)
}

describe('a bug that moves', () => {
  let away: TestProduct
  let here: TestFlagType
  let heir: TestFlagType
  let both: TestFlagType
  let paper: TestFlagType

  beforeAll(async () => {
    away = await insertProduct()
    await execute(sql`INSERT INTO components (product_id, name, name_fold, description,
        default_assignee_id)
      SELECT id, ${place.component}, ${place.component.toLowerCase()}, '', ${editor.id}
      FROM products WHERE id = ${away.id}`)
    here = await insertFlagType({}, [{ productId: place.id }])
    const same = await insertFlagType({}, [{ productId: place.id }])
    heir = await insertFlagType({ name: same.name }, [{ productId: away.id }])
    both = await insertFlagType({}, [{ productId: place.id }, { productId: away.id }])
    paper = await insertFlagType({ target: 'attachment' }, [{ productId: place.id }])
  })

  const setAll = (status: string) => [here, heir, both].map(({ name }) => ({ name, status }))

  test('loses, hands over and keeps flags, and those of its attachments', async () => {
    await changeBug(editor, bug, { flags: setAll('+') })
    const attachmentId = await insertAttachment({ id: bug } as never, ann, { summary: 'a log' })
    await execute(sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, created_at,
        modified_at) VALUES (${bug}, ${attachmentId}, ${paper.id}, '?', ${ann.id}, 1, 1)`)
    const before = await loadFlags(bug)
    const changes = await changeBug(editor, bug, { product: away.name })
    expect(changes).toEqual({
      product: { removed: place.name, added: away.name },
      ...flagChange(`${here.name}+`, ''),
    })
    expect(await loadFlags(bug)).toEqual([{ ...before[1], type_id: heir.id }, before[2]])
    expect(await flagHistoryOf(bug)).toContain(`${paper.name}? > `)
    const [row] = (await loadRowsOfBug('history', bug)).filter((one) => one.attachment_id !== null)
    expect(row).toMatchObject({ attachment_id: attachmentId, removed: `${paper.name}?`, added: '' })
    const gone = (await loadFlagActivity(bug)).filter(({ status }) => status === 'X')
    expect(gone.map((one) => one.type_id).sort()).toEqual([here.id, paper.id].sort())
  })

  test('gets flags of the types that apply there in the same request', async () => {
    const far = await insertFlagType({}, [{ productId: away.id }])
    const flags = [{ name: far.name, status: '+' }]
    expect(await changeBug(editor, bug, { product: away.name, flags })).toMatchObject(
      flagChange('', `${far.name}+`),
    )
    const back = { product: place.name, flags }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, back), 51, far.name)
  })

  test('to another component loses the flags that do not apply there', async () => {
    const [row] =
      await execute(sql`INSERT INTO components (product_id, name, name_fold, description,
        default_assignee_id) VALUES (${place.id}, 'Attic', 'attic', '', ${editor.id})
      ON CONFLICT DO UPDATE SET description = '' RETURNING id`)
    const attic = await insertFlagType({}, [{ productId: place.id, componentId: Number(row?.id) }])
    await changeBug(editor, bug, {
      component: 'Attic',
      flags: [
        { name: attic.name, status: '?' },
        { name: both.name, status: '?' },
      ],
    })
    expect(await changeBug(editor, bug, { component: place.component })).toMatchObject(
      flagChange(`${attic.name}?`, ''),
    )
    expect(await summarizeFlags(bug)).toEqual([`${both.name}?`])
  })

  test('is decided again when a flag is set meanwhile, so that none stays behind', async () => {
    const input = changeBugInput.parse({ id_or_alias: String(bug), product: away.name })
    const session = openInterruptedSession(2, () =>
      changeBug(ann, bug, { flags: [{ name: here.name, status: '+' }] }),
    )
    const { bugs } = await changeBugs.run(buildCtx(editor, ['editbugs'], session), input)
    expect(bugs[0]?.changes).toMatchObject(flagChange(`${here.name}+`, ''))
    expect(await loadFlags(bug)).toEqual([])
    expect(await flagHistoryOf(bug)).toEqual([` > ${here.name}+`, `${here.name}+ > `])
  })

  test('is decided again when an attachment gets a flag in the meantime', async () => {
    const attachmentId = await insertAttachment({ id: bug } as never, ann, { summary: 'a log' })
    const input = changeBugInput.parse({ id_or_alias: String(bug), product: away.name })
    const session = openInterruptedSession(2, () =>
      execute(sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, created_at,
        modified_at) VALUES (${bug}, ${attachmentId}, ${paper.id}, '?', ${ann.id}, 1, 1)`),
    )
    await changeBugs.run(buildCtx(editor, ['editbugs'], session), input)
    expect(await loadFlags(bug)).toEqual([])
  })

  test('takes no flag along that was decided on where it was', async () => {
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      flags: [{ name: here.name, status: '+' }],
    })
    const session = openInterruptedSession(2, () => changeBug(editor, bug, { product: away.name }))
    await expect(changeBugs.run(buildCtx(ann, [], session), input)).rejects.toMatchObject({
      code: 51,
    })
    expect(await loadFlags(bug)).toEqual([])
  })

  test('costs no row because of the flags of other bugs', async () => {
    const { name } = both
    async function cost() {
      const id = await postBug(ann, place)
      const set = await put(editor, `/rest/bug/${id}`, { flags: [{ name, status: '?' }] })
      const move = await put(editor, `/rest/bug/${id}`, { product: away.name })
      expect([set.status, move.status]).toEqual([200, 200])
      return set.cost.read + move.cost.read
    }
    const few = await cost()
    await insertManyFlags(bug, 1000, both, editor)
    expect(await cost()).toBeLessThan(few + 20)
  })
})
