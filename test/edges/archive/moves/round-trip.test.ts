import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { PARTS } from '../../../../src/edges/archive/parts.ts'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { exportTracker, importTracker, startAnew } from '../../../support/archive.ts'
import { buildAttachmentBody } from '../../../support/builders/attachments.ts'
import { buildBugBody } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { get, post, put } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'
import { drawBatch } from '../../../support/worlds/drawn-batch.ts'

async function ok(answer: ReturnType<typeof post>) {
  const { status, text, body } = await answer
  expect(status, text).toBeLessThan(300)
  return body
}

/** Rows of every kind, made over the API. */
async function buildEverything(admin: TestPerson): Promise<{ bug: number; ann: TestPerson }> {
  const ann = await insertPerson({ roles: ['editbugs', 'insider', 'timetracking'] })
  const place = await insertProduct()
  await ok(post(admin, '/rest/classification', { name: 'Ünits', description: 'x' }))
  await ok(post(admin, '/rest/keyword', { name: 'crash', description: 'x' }))
  await ok(post(admin, '/rest/group', { name: 'core', description: 'x', user_regexp: '@example' }))
  const controls = { group: 'core', membercontrol: 'Shown', othercontrol: 'NA' }
  await put(admin, `/rest/product/${place.name}/group_control/core`, controls)
  const fields = {
    text: await insertCustomField(FIELD_TYPE.freeText),
    day: await insertCustomField(FIELD_TYPE.date),
    time: await insertCustomField(FIELD_TYPE.datetime),
    number: await insertCustomField(FIELD_TYPE.integer),
    bug: await insertCustomField(FIELD_TYPE.bugId),
  }
  await ok(post(admin, '/rest/field/bug', { name: 'cf_one', type: 2, values: ['a', 'b'] }))
  await ok(post(admin, '/rest/field/bug', { name: 'cf_many', type: 3, values: ['x', 'y'] }))
  const { name: review } = await insertFlagType({ target: 'attachment' }, [{ productId: place.id }])
  const { name: question } = await insertFlagType({}, [{ productId: place.id }])
  const first = (await ok(post(ann, '/rest/bug', buildBugBody(place)))).id
  const bug = (
    await ok(
      post(ann, '/rest/bug', {
        ...buildBugBody(place, { summary: 'Größe\u0130', alias: 'Größe', depends_on: [first] }),
        ...{ cc: [admin.login], keywords: ['crash'], url: 'https://x.test/ü', whiteboard: '[x]' },
        ...{ see_also: ['https://other.test/1', String(first)], deadline: '2030-02-03' },
        ...{ estimated_time: 3.25, cf_one: 'a', cf_many: ['x', 'y'] },
        ...{ [fields.text.name]: 'Ä', [fields.day.name]: '2030-01-01', [fields.number.name]: 5 },
        ...{ [fields.time.name]: '2030-01-01T01:02:03Z', [fields.bug.name]: first },
        ...{ description: '# It breaks\n\n\tand "quotes" \\ break too 💥' },
      }),
    )
  ).id
  await ok(
    put(ann, `/rest/bug/${bug}`, {
      ...{ comment: { body: 'Hours', is_private: true }, work_time: 1.1, priority: 'P1' },
      ...{ regressed_by: { add: [first] }, flags: [{ name: question, status: '?' }] },
    }),
  )
  const made = await ok(
    post(ann, `/rest/bug/${bug}/attachment`, buildAttachmentBody({ comment: 'See' })),
  )
  const attachment = `/rest/bug/attachment/${made.ids[0]}`
  await ok(put(ann, attachment, { flags: [{ name: review, status: '?' }], is_private: true }))
  await ok(put(ann, attachment, { flags: [{ name: review, status: 'X' }], is_obsolete: true }))
  await ok(
    put(ann, `/rest/bug/${first}`, { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: bug }),
  )
  const { bugs } = (await get(ann, `/rest/bug/${bug}/comment`)).body
  await put(ann, `/rest/bug/comment/${bugs[bug].comments[0].id}/tags`, { add: ['spam'] })
  await ok(post(ann, '/rest/saved_search', { name: 'Mine', query: 'product=x&quicksearch=ü' }))
  await ok(post(ann, '/rest/reminder', { bug_id: bug, reminder_ts: '2099-12-24', note: 'n' }))
  await ok(
    post(ann, '/rest/webhooks', { name: 'hook', url: 'https://h.example.com/', event: 'create' }),
  )
  await post(ann, `/rest/bug_user_last_visit/${bug}`, {})
  await put(ann, `/rest/bug/${bug}`, { tags: { add: ['later'] } })
  await execute(
    sql`INSERT INTO person_watches VALUES (${ann.id}, ${admin.id})`,
    sql`INSERT INTO component_watches (watcher_id, product_id) VALUES (${ann.id}, ${place.id})`,
    sql`INSERT INTO ignored_bugs VALUES (${ann.id}, ${first})`,
    sql`INSERT INTO bug_tags VALUES (${ann.id}, ${first}, 'Später', 'später') ON CONFLICT DO NOTHING`,
    sql`INSERT INTO visits VALUES (${ann.id}, ${first}, 1700000000) ON CONFLICT DO NOTHING`,
    sql`INSERT INTO mail_preferences VALUES (${ann.id}, 'assignee', 'other', 0)`,
    sql`INSERT INTO group_blessers SELECT ${ann.id}, id FROM access_groups WHERE role = 'editbugs'`,
    sql`INSERT INTO component_cc SELECT id, ${ann.id} FROM components LIMIT 1`,
    sql`UPDATE fields SET visibility_field_id = (SELECT id FROM fields WHERE name = 'bug_status'),
      value_field_id = (SELECT id FROM fields WHERE name = 'bug_type') WHERE name = 'cf_one'`,
    sql`INSERT INTO field_visibility SELECT f.id, v.id FROM fields f, field_values v
      WHERE f.name = 'cf_one' AND v.name = 'CONFIRMED'`,
    sql`INSERT INTO value_visibility SELECT v.id, w.id FROM field_values v, field_values w
      WHERE v.name = 'a' AND w.name = 'defect'`,
    sql`INSERT INTO group_controls (product_id, group_id, membercontrol) SELECT ${place.id}, id, 1
      FROM access_groups WHERE name = 'core' ON CONFLICT DO NOTHING`,
    sql`INSERT INTO bug_groups SELECT ${bug}, id FROM access_groups WHERE name = 'core'`,
  )
  return { bug, ann }
}

describe('an archive that is imported and exported again', () => {
  test('has the same bytes, with rows of every kind and drawn worlds', async () => {
    const admin = await startAnew('boss@example.test')
    const { bug, ann } = await buildEverything(admin)
    await drawBatch({ seed: 7, number: 1, worlds: 12 })
    const before = await exportTracker(admin)
    const empty = PARTS.filter(({ name }) => (before.parts.get(name) ?? '') === '')
    expect(
      empty.map(({ name }) => name),
      'every part has lines',
    ).toEqual([])
    const shown = await get(ann, `/rest/bug/${bug}?include_fields=_all,cf_one,cf_many`)
    const found = await get(ann, '/rest/bug?content=quotes&include_fields=id')

    await importTracker(await startAnew(admin.login, admin.key), before)
    const after = await exportTracker(admin)
    for (const name of before.parts.keys()) {
      expect(after.parts.get(name)?.split('\n'), name).toEqual(before.parts.get(name)?.split('\n'))
    }
    expect(after.files).toEqual(before.files)
    // people and their keys are those of the archive
    const again = await get(ann, `/rest/bug/${bug}?include_fields=_all,cf_one,cf_many`)
    expect(again.body).toEqual(shown.body)
    expect((await get(ann, '/rest/bug?content=quotes&include_fields=id')).body).toEqual(found.body)
    expect(found.body.bugs).toEqual([{ id: bug }])
  })
})
