import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { plainInputs } from '../../../../src/tracker/bugs/model/plain-fields.ts'
import { findFieldRow, toInternalName } from '../../../../src/tracker/fields/names.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { get, put } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { buildMailService, deliverNotice } from '../../../support/fakes/mail-service.ts'

const FIELDS = Object.keys(plainInputs(z.string))

const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const place = await insertProduct()

async function find(query: Record<string, string>): Promise<number[]> {
  const { status, text, body } = await get(editor, `/rest/bug?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return body.bugs.map(({ id }: { id: number }) => id)
}

describe.each(FIELDS)('the plain field %s', (field) => {
  const internal = toInternalName(field)
  const isDate = findFieldRow(field)?.family === 'date'
  const [before, after] = isDate ? ['2026-01-02', '2026-03-04'] : [`${field}-one`, `${field}-two`]

  test('is filed, changed, recorded, searched and described', async () => {
    const id = await postBug(editor, place, { [field]: before })
    expect(await readBug(id, editor)).toMatchObject({ [field]: before })
    const changed = await put(editor, `/rest/bug/${id}`, { [field]: after })
    expect(changed.body.bugs[0].changes).toEqual({ [field]: { removed: before, added: after } })
    expect(await readBug(id, editor)).toMatchObject({ [field]: after })

    const { body } = await get(editor, `/rest/bug/${id}/history`)
    expect(body.bugs[0].history[0].changes).toEqual([
      { field_name: field, removed: before, added: after },
    ])
    const product = place.name
    for (const name of [field, internal]) {
      expect(await find({ product, f1: name, o1: 'equals', v1: after })).toEqual([id])
      expect(await find({ product, f1: name, o1: 'changedfrom', v1: before })).toEqual([id])
    }
    expect(await find({ product, [field]: after, order: field })).toEqual([id])
    expect(await find({ quicksearch: `ALL product="${product}" ${field}:"${after}"` })).toEqual([
      id,
    ])
    expect(
      (await get(editor, `/rest/field/bug/${internal}`)).body.fields[0].display_name,
    ).toBeTruthy()
  })

  test('stands in the mail about its change, under its label', async () => {
    const watcher = await insertPerson()
    const id = await postBug(editor, place, { [field]: before, cc: [watcher.login] })
    await put(editor, `/rest/bug/${id}`, { [field]: after })
    const box = buildMailService()
    const notice = (await loadRowsOfBug('notices', id)).at(-1)
    await deliverNotice(box.ctx(), Number(notice?.id))
    const { fields } = (await get(editor, `/rest/field/bug/${internal}`)).body
    const row = box
      .mailTo(watcher.login)
      ?.text.split('\n')
      .find((line) => line.includes(after))
    expect(row).toContain(findFieldRow(field)?.label ?? fields[0].display_name)
  })

  test('is cleared by a blank text', async () => {
    const id = await postBug(editor, place, { [field]: before })
    await put(editor, `/rest/bug/${id}`, { [field]: ' ' })
    expect(await find({ id: String(id), f1: field, o1: 'isempty' })).toEqual([id])
  })
})
