import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../src/bugs/change/change.ts'
import { changeBugInput } from '../../src/bugs/change/input.ts'
import { put } from '../support/client.ts'
import { changesOf, expectRefusal, rowsOf } from '../support/filing.ts'
import {
  activityOf,
  flagsOf,
  flagType,
  flagWords,
  manyFlags,
  type TestFlagType,
} from '../support/flags.ts'
import { attached, write } from '../support/happening.ts'
import { filed } from '../support/reading.ts'
import { ctxOf, interrupted } from '../support/sessions.ts'
import { person, product, type TestPerson, type TestProduct } from '../support/world.ts'

let place: TestProduct
let reporter: TestPerson
let ann: TestPerson
let editor: TestPerson
let bug: number

beforeAll(async () => {
  place = await product()
  reporter = await person()
  ann = await person()
  editor = await person({ roles: ['editbugs'] })
})

beforeEach(async () => {
  bug = await filed(reporter, place)
})

const word = (removed: string, added: string) => ({ 'flagtypes.name': { removed, added } })

async function told(): Promise<string[]> {
  const rows = (await rowsOf('history', bug)).filter(({ field }) => field === 'flagtypes.name')
  return rows.map(({ removed, added }) => `${removed} > ${added}`)
}

describe('a bug that moves', () => {
  let away: TestProduct
  let here: TestFlagType
  let heir: TestFlagType
  let both: TestFlagType
  let paper: TestFlagType

  beforeAll(async () => {
    away = await product()
    await write(sql`INSERT INTO components (product_id, name, name_fold, description,
        default_assignee_id)
      SELECT id, ${place.component}, ${place.component.toLowerCase()}, '', ${editor.id}
      FROM products WHERE id = ${away.id}`)
    here = await flagType({}, [{ productId: place.id }])
    const same = await flagType({}, [{ productId: place.id }])
    heir = await flagType({ name: same.name }, [{ productId: away.id }])
    both = await flagType({}, [{ productId: place.id }, { productId: away.id }])
    paper = await flagType({ target: 'attachment' }, [{ productId: place.id }])
  })

  const setAll = (status: string) => [here, heir, both].map(({ name }) => ({ name, status }))

  test('loses, hands over and keeps flags, and those of its attachments', async () => {
    await changesOf(editor, bug, { flags: setAll('+') })
    const attachmentId = await attached({ id: bug } as never, ann, 'a log', false)
    await write(sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, created_at,
        modified_at) VALUES (${bug}, ${attachmentId}, ${paper.id}, '?', ${ann.id}, 1, 1)`)
    const before = await flagsOf(bug)
    const changes = await changesOf(editor, bug, { product: away.name })
    expect(changes).toEqual({
      product: { removed: place.name, added: away.name },
      ...word(`${here.name}+`, ''),
    })
    expect(await flagsOf(bug)).toEqual([{ ...before[1], type_id: heir.id }, before[2]])
    expect(await told()).toContain(`${paper.name}? > `)
    const [row] = (await rowsOf('history', bug)).filter((one) => one.attachment_id !== null)
    expect(row).toMatchObject({ attachment_id: attachmentId, removed: `${paper.name}?`, added: '' })
    const gone = (await activityOf(bug)).filter(({ status }) => status === 'X')
    expect(gone.map((one) => one.type_id).sort()).toEqual([here.id, paper.id].sort())
  })

  test('gets flags of the types that apply there in the same request', async () => {
    const far = await flagType({}, [{ productId: away.id }])
    const flags = [{ name: far.name, status: '+' }]
    expect(await changesOf(editor, bug, { product: away.name, flags })).toMatchObject(
      word('', `${far.name}+`),
    )
    const back = { product: place.name, flags }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, back), 404, 51, far.name)
  })

  test('to another component settles its flags too', async () => {
    const [row] = await write(sql`INSERT INTO components (product_id, name, name_fold, description,
        default_assignee_id) VALUES (${place.id}, 'Attic', 'attic', '', ${editor.id})
      ON CONFLICT DO UPDATE SET description = '' RETURNING id`)
    const attic = await flagType({}, [{ productId: place.id, componentId: Number(row?.id) }])
    await changesOf(editor, bug, {
      component: 'Attic',
      flags: [
        { name: attic.name, status: '?' },
        { name: both.name, status: '?' },
      ],
    })
    expect(await changesOf(editor, bug, { component: place.component })).toMatchObject(
      word(`${attic.name}?`, ''),
    )
    expect(await flagWords(bug)).toEqual([`${both.name}?`])
  })

  test('is decided again when a flag is set in the meantime, so that none is left behind', async () => {
    const input = changeBugInput.parse({ id_or_alias: String(bug), product: away.name })
    const session = interrupted(2, () =>
      changesOf(ann, bug, { flags: [{ name: here.name, status: '+' }] }),
    )
    const { bugs } = await changeBugs(ctxOf(editor, ['editbugs'], session), input)
    expect(bugs[0]?.changes).toMatchObject(word(`${here.name}+`, ''))
    expect(await flagsOf(bug)).toEqual([])
    expect(await told()).toEqual([` > ${here.name}+`, `${here.name}+ > `])
  })

  test('is decided again when an attachment gets a flag in the meantime', async () => {
    const attachmentId = await attached({ id: bug } as never, ann, 'a log', false)
    const input = changeBugInput.parse({ id_or_alias: String(bug), product: away.name })
    const session = interrupted(2, () =>
      write(sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, created_at,
        modified_at) VALUES (${bug}, ${attachmentId}, ${paper.id}, '?', ${ann.id}, 1, 1)`),
    )
    await changeBugs(ctxOf(editor, ['editbugs'], session), input)
    expect(await flagsOf(bug)).toEqual([])
  })

  test('takes no flag along that was decided on where it was', async () => {
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      flags: [{ name: here.name, status: '+' }],
    })
    const session = interrupted(2, () => changesOf(editor, bug, { product: away.name }))
    await expect(changeBugs(ctxOf(ann, [], session), input)).rejects.toMatchObject({ code: 51 })
    expect(await flagsOf(bug)).toEqual([])
  })

  test('costs no row because of the flags of other bugs', async () => {
    const { name } = both
    async function cost() {
      const id = await filed(ann, place)
      const set = await put(editor, `/rest/bug/${id}`, { flags: [{ name, status: '?' }] })
      const move = await put(editor, `/rest/bug/${id}`, { product: away.name })
      expect([set.status, move.status]).toEqual([200, 200])
      return set.cost.read + move.cost.read
    }
    const few = await cost()
    await manyFlags(bug, 1000, both, editor)
    expect(await cost()).toBeLessThan(few + 20)
  })
})
