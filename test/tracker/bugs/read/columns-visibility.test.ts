import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { insertBug, postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField, setCustomValue } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, post } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

const reporter = await insertPerson({ realName: 'Rita Reporter [:rita]' })
const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider'] })
const tracker = await insertPerson({ roles: ['timetracking'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

describe('the visibility of the fields of GET /bug/:id', () => {
  test('hides bugs in every relation of a visible bug, also from people who may edit every bug', async () => {
    const one = await postBug(reporter, place)
    const { id: hidden } = await insertBug({ groups: [secret] })
    const cf = await insertCustomField(FIELD_TYPE.bugId)
    const old = await insertCustomField(FIELD_TYPE.bugId, { isObsolete: true })
    await setCustomValue(one, cf, { number: hidden })
    await setCustomValue(one, old, { number: hidden })
    await execute(
      sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES (${one}, ${hidden})`,
      sql`INSERT INTO regressions (bug_id, regressed_by_id) VALUES (${one}, ${hidden}), (${hidden}, ${one})`,
      sql`INSERT INTO see_also (bug_id, url, url_fold, local_bug_id)
        VALUES (${one}, '/bug/' || ${hidden}, 'x', ${hidden}),
          (${one}, 'https://elsewhere.test/1', 'y', NULL)`,
      sql`UPDATE bugs SET dupe_of_id = ${hidden} WHERE id = ${one}`,
    )
    const names = 'depends_on,regressed_by,regressions,see_also,dupe_of'
    const query = `?include_fields=${names},${cf.name},${old.name}`

    for (const who of [ANYONE, stranger, editor, insider]) {
      expect(await readBug(one, who, query)).toEqual({
        depends_on: [],
        regressed_by: [],
        regressions: [],
        see_also: ['https://elsewhere.test/1'],
        dupe_of: null,
        [cf.name]: null,
      })
    }
    expect(await readBug(one, member, query)).toEqual({
      depends_on: [hidden],
      regressed_by: [hidden],
      regressions: [hidden],
      see_also: [`https://tracker.test/bug/${hidden}`, 'https://elsewhere.test/1'],
      dupe_of: hidden,
      [cf.name]: hidden,
      [old.name]: hidden,
    })
  })

  test('hides bugs that name a visible bug', async () => {
    const one = await postBug(reporter, place)
    const { id: hidden } = await insertBug({ groups: [secret] })
    await execute(
      sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES (${hidden}, ${one})`,
      sql`UPDATE bugs SET dupe_of_id = ${one} WHERE id = ${hidden}`,
    )

    for (const who of [ANYONE, stranger, editor]) {
      expect(await readBug(one, who)).toMatchObject({ blocks: [], duplicates: [] })
    }
    expect(await readBug(one, member)).toMatchObject({ blocks: [hidden], duplicates: [hidden] })
  })

  test('hides bugs in every count', async () => {
    const one = await postBug(reporter, place)
    const { id: hidden } = await insertBug({ groups: [secret] })
    const { id: open } = await insertBug()
    await execute(
      sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES
        (${one}, ${hidden}), (${one}, ${open}), (${hidden}, ${one})`,
      sql`INSERT INTO regressions (bug_id, regressed_by_id) VALUES (${one}, ${hidden}), (${hidden}, ${one})`,
      sql`UPDATE bugs SET dupe_of_id = ${one} WHERE id IN (${hidden}, ${open})`,
    )
    const relations = { depends_on: 1, blocks: 0, regressed_by: 0, regressions: 0, duplicates: 1 }

    for (const who of [ANYONE, stranger, editor]) {
      expect(await readBug(one, who, '?include_fields=counts')).toMatchObject({ counts: relations })
    }
    expect(await readBug(one, member, '?include_fields=counts')).toMatchObject({
      counts: { depends_on: 2, blocks: 1, regressed_by: 1, regressions: 1, duplicates: 2 },
    })
  })

  test('hides private comments in the count, the description and the hours', async () => {
    const both = await insertPerson({ roles: ['insider', 'timetracking'] })
    const id = await postBug(reporter, place, { description: 'hush' })
    await post(both, `/rest/bug/${id}/comment`, { comment: 'x', is_private: true, work_time: 2 })
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${id} AND number = 0`)
    const query = '?include_fields=comment_count,description,actual_time'

    expect(await readBug(id, both, query)).toEqual({
      comment_count: 2,
      description: 'hush',
      actual_time: 2,
    })
    expect(await readBug(id, tracker, query)).toEqual({
      comment_count: 0,
      description: '',
      actual_time: 0,
    })
    expect(await readBug(id, ANYONE, query)).toEqual({ comment_count: 0, description: '' })
  })

  test('hides tags of other people', async () => {
    const id = await postBug(reporter, place)
    await execute(sql`INSERT INTO bug_tags (user_id, bug_id, name, name_fold)
      VALUES (${reporter.id}, ${id}, 'mine', 'mine')`)

    expect(await readBug(id, reporter, '?include_fields=tags')).toEqual({ tags: ['mine'] })
    for (const who of [ANYONE, stranger, editor]) {
      expect(await readBug(id, who, '?include_fields=tags')).toEqual({ tags: [] })
    }
  })
})
