import { describe, expect, test } from 'vitest'
import { type FieldClass, Selection } from '../../../src/platform/lib/selection.ts'
import { commaList } from '../../../src/platform/lib/text.ts'

/** The selection of a request; undefined is a parameter that it does not have. */
function select(include?: string, exclude?: string): Selection {
  return new Selection({
    ...(include === undefined ? {} : { include_fields: commaList(include) }),
    ...(exclude === undefined ? {} : { exclude_fields: commaList(exclude) }),
  })
}

const product = {
  id: 1,
  name: 'Widget',
  components: [
    { id: 10, name: 'Frame' },
    { id: 11, name: 'Hinge' },
  ],
}
const person = { id: 7, name: 'ann@example.com', email: 'ann@example.com' }
const bug = {
  id: 3,
  summary: 'It squeaks',
  assigned_to: 'ann@example.com',
  assigned_to_detail: person,
  cc: ['ann@example.com'],
  cc_detail: [person],
  flags: [],
  cf_color: 'red',
  comments: [{ id: 50, text: 'It squeaks' }],
  history: [{ when: '2026-01-01T00:00:00Z', changes: [{ field_name: 'cc' }] }],
  triage_owner: 'ann@example.com',
  triage_owner_detail: person,
}

function classOfBugField(field: string): FieldClass {
  if (field.startsWith('cf_')) {
    return 'custom'
  }
  return ['comments', 'history', 'triage_owner_detail'].includes(field) ? 'extra' : 'default'
}

function includedBugFields(include?: string, exclude?: string): string[] {
  return Object.keys(select(include, exclude).prune(bug, classOfBugField))
}

describe('Selection.includes', () => {
  test.each<[string, string | undefined, string | undefined, FieldClass, boolean]>([
    ['1: excluded by name', 'f', 'f', 'default', false],
    ['1 before 4', '_all', 'f', 'default', false],
    ['1 before 6', '_default', 'f', 'default', false],
    ['1 before 8', 'f.a', 'f', 'default', false],
    ['2: included by name', 'f', undefined, 'default', true],
    ['2 before 3', 'f', '_all', 'default', true],
    ['2 before 5', 'f', '_default', 'default', true],
    ['2 for an extra field', 'f', undefined, 'extra', true],
    ['2 for a custom field', 'f', '_custom', 'custom', true],
    ['3: everything excluded', undefined, '_all', 'default', false],
    ['3 before 4', '_all', '_all', 'default', false],
    ['3 before 6', '_default', '_all', 'default', false],
    ['3 before 8', 'f.a', '_all', 'default', false],
    ['4: everything included', '_all', undefined, 'default', true],
    ['4 for an extra field', '_all', undefined, 'extra', true],
    ['4 for a custom field', '_all', undefined, 'custom', true],
    ['4 before 5', '_all', '_extra', 'extra', true],
    ['5: default fields excluded', undefined, '_default', 'default', false],
    ['5: default fields excluded, custom ones with them', undefined, '_default', 'custom', false],
    ['5: custom fields excluded', undefined, '_custom', 'custom', false],
    ['5: custom fields excluded, default ones stay', undefined, '_custom', 'default', true],
    ['5: extra fields excluded', '_extra', '_extra', 'extra', false],
    ['5: extra fields excluded, default ones stay', undefined, '_extra', 'default', true],
    ['5 before 6', '_default', '_custom', 'custom', false],
    ['5 before 6, by either class', '_custom', '_default', 'custom', false],
    ['5 before 8', 'f.a', '_default', 'default', false],
    ['6: no include means default fields', undefined, undefined, 'default', true],
    ['6: no include, custom field', undefined, undefined, 'custom', true],
    ['6: no include, extra field', undefined, undefined, 'extra', false],
    ['6: an empty include is none', '', undefined, 'default', true],
    ['6: an empty include, extra field', '', undefined, 'extra', false],
    ['6: default fields included', 'g,_default', undefined, 'default', true],
    ['6: default fields included, custom field', '_default', undefined, 'custom', true],
    ['6: default fields included, extra field', '_default', undefined, 'extra', false],
    ['6: extra fields included', '_extra', undefined, 'extra', true],
    ['6: extra fields included, default field', '_extra', undefined, 'default', false],
    ['6: custom fields included', '_custom', undefined, 'custom', true],
    ['6: custom fields included, default field', '_custom', undefined, 'default', false],
    ['8: a sub-field included', 'f.a', undefined, 'default', true],
    ['8: a sub-field included, extra field', 'f.a', undefined, 'extra', true],
    ['8: a sub-field included and excluded', 'f.a', 'f.a', 'default', true],
    ['9: another field included', 'g', undefined, 'default', false],
    ['9: a sub-field of another field included', 'ff.a', undefined, 'default', false],
    ['9: another case', 'F', undefined, 'default', false],
    ['unknown names are ignored', undefined, 'bogus', 'default', true],
    ['another case is not excluded', undefined, 'F', 'default', true],
    ['excluding a sub-field keeps the field', undefined, 'f.a', 'default', true],
  ])('follows rule %s', (_rule, include, exclude, fieldClass, isIncluded) => {
    expect(select(include, exclude).includes('f', fieldClass)).toBe(isIncluded)
  })
})

describe('Selection.includesSubField', () => {
  test.each<[string, string | undefined, string | undefined, FieldClass, boolean]>([
    ['1: excluded by name', 'p', 'p.f', 'default', false],
    ['1 before 2', 'p.f', 'p.f', 'default', false],
    ['1 before 4', '_all', 'p.f', 'default', false],
    ['2: included by name', 'p.f', undefined, 'default', true],
    ['2 before 3', 'p.f', '_all', 'default', true],
    ['2 before 5', 'p.f', '_default', 'default', true],
    ['3: everything excluded', 'p', '_all', 'default', false],
    ['4: everything included', 'p.other,_all', undefined, 'default', true],
    ['5: class of the parent excluded', 'p', '_default', 'default', false],
    ['6: no include', undefined, 'p.other', 'default', true],
    ['6: class of the parent included', 'p.other,_default', undefined, 'default', true],
    ['6: class of the parent included, extra', '_extra', 'p.other', 'extra', true],
    ['6: another class included', 'p.other,_default', undefined, 'extra', false],
    ['7: the parent included', 'p', 'p.other', 'default', true],
    ['7: the parent included, extra', 'p', 'p.other', 'extra', true],
    [
      '7: the parent included next to one of its sub-fields',
      'p,p.other',
      undefined,
      'default',
      true,
    ],
    ['9: only another sub-field included', 'p.other', undefined, 'default', false],
    ['9: the bare name of the sub-field included', 'f', undefined, 'default', false],
    ['a bare name excludes no sub-field', 'p', 'f', 'default', true],
  ])('follows rule %s', (_rule, include, exclude, parentClass, isIncluded) => {
    expect(select(include, exclude).includesSubField('p', 'f', parentClass)).toBe(isIncluded)
  })
})

describe('Selection.hasSubFields', () => {
  test.each([
    ['', '', false],
    ['id,creator', 'cc', false],
    ['_all', '', false],
    ['creator.name', '', true],
    ['', 'creator.name', true],
    ['id,cc_detail.real_name', '_extra', true],
  ])('with include %j and exclude %j is %s', (include, exclude, expected) => {
    expect(select(include, exclude).hasSubFields).toBe(expected)
  })
})

describe('Selection.prune', () => {
  const names = { components: [{ name: 'Frame' }, { name: 'Hinge' }] }

  test.each<[string | undefined, string | undefined, object]>([
    [undefined, undefined, product],
    ['id', undefined, { id: 1 }],
    ['bogus', undefined, {}],
    [undefined, 'bogus', product],
    ['id,name', 'id', { name: 'Widget' }],
    ['components.name', undefined, names],
    ['components', 'components.id', names],
    ['components.name', 'components', {}],
    ['_default', 'components', { id: 1, name: 'Widget' }],
    ['_all', 'id', { name: 'Widget', components: product.components }],
    ['id', '_all', { id: 1 }],
    ['', undefined, product],
    [undefined, 'components.id', { id: 1, name: 'Widget', ...names }],
    ['id,components.bogus', undefined, { id: 1, components: [{}, {}] }],
    ['name.id', undefined, { name: 'Widget' }],
  ])('with include %j and exclude %j returns of a product %j', (include, exclude, kept) => {
    expect(select(include, exclude).prune(product)).toEqual(kept)
  })

  test('does not change the object itself', () => {
    const before = structuredClone(product)
    select('components.name').prune(product)
    expect(product).toEqual(before)
  })

  test('prunes one level of sub-fields and nothing below', () => {
    expect(select('history.changes').prune(bug, classOfBugField)).toEqual({
      history: [{ changes: [{ field_name: 'cc' }] }],
    })
  })

  test('keeps null, texts and nested lists in a pruned field', () => {
    const odd = { p: null, q: ['a', null, ['b'], { f: 1, g: 2 }] }
    expect(select('p.f,q.f').prune(odd)).toEqual({ p: null, q: ['a', null, ['b'], { f: 1 }] })
  })

  test('includes bug fields of each class by its shortcuts', () => {
    const extra = ['comments', 'history', 'triage_owner_detail']
    const usual = Object.keys(bug).filter((field) => !extra.includes(field))
    expect(includedBugFields()).toEqual(usual)
    expect(includedBugFields('_default')).toEqual(usual)
    expect(includedBugFields('_all')).toEqual(Object.keys(bug))
    expect(includedBugFields('id,_extra')).toEqual(['id', ...extra])
    expect(includedBugFields('_custom')).toEqual(['cf_color'])
    expect(includedBugFields(undefined, '_custom')).toEqual(
      usual.filter((field) => field !== 'cf_color'),
    )
    expect(includedBugFields('_default,comments')).toEqual(
      Object.keys(bug).filter((field) => [...usual, 'comments'].includes(field)),
    )
  })

  test('prunes the items of an extra field that a shortcut includes', () => {
    expect(select('_extra', 'comments.id,history').prune(bug, classOfBugField)).toEqual({
      comments: [{ text: 'It squeaks' }],
      triage_owner_detail: person,
    })
  })
})

describe('a field with the suffix _detail', () => {
  test.each<[string, string | undefined, string | undefined, boolean, boolean]>([
    ['is included with its base by default', undefined, undefined, true, true],
    ['is included with its named base', 'assigned_to', undefined, true, true],
    ['includes its base when it alone is named', 'assigned_to_detail', undefined, true, true],
    ['is excluded with its base', undefined, 'assigned_to', false, false],
    [
      'is excluded with its base although it is named',
      'assigned_to_detail',
      'assigned_to',
      false,
      false,
    ],
    ['is excluded alone when it alone is excluded', undefined, 'assigned_to_detail', true, false],
    ['is excluded although its base is named', 'assigned_to', 'assigned_to_detail', true, false],
    ['is included with its base for a sub-field', 'assigned_to.name', undefined, true, true],
    ['is excluded when only other fields are named', 'id', undefined, false, false],
    ['is included with a named base although _all is excluded', 'assigned_to', '_all', true, true],
  ])('%s', (_what, include, exclude, base, detail) => {
    const selection = select(include, exclude)
    expect(selection.includes('assigned_to')).toBe(base)
    expect(selection.includes('assigned_to_detail')).toBe(detail)
  })

  test.each<[string | undefined, string | undefined, object]>([
    [
      'assigned_to.name',
      undefined,
      { assigned_to: bug.assigned_to, assigned_to_detail: { name: person.name } },
    ],
    ['cc.id', undefined, { cc: bug.cc, cc_detail: [{ id: 7 }] }],
    ['cc_detail.id', undefined, { cc: bug.cc, cc_detail: [{ id: 7 }] }],
    ['cc', 'cc_detail.email,cc_detail.name', { cc: bug.cc, cc_detail: [{ id: 7 }] }],
    [
      'assigned_to',
      'assigned_to.email,assigned_to.name',
      { assigned_to: bug.assigned_to, assigned_to_detail: { id: 7 } },
    ],
    [
      'assigned_to_detail,assigned_to.name',
      undefined,
      { assigned_to: bug.assigned_to, assigned_to_detail: person },
    ],
    ['cc_detail', 'cc.email,cc.name', { cc: bug.cc, cc_detail: [{ id: 7 }] }],
  ])(
    'with include %j and exclude %j is pruned under the name of its base',
    (include, exclude, kept) => {
      expect(select(include, exclude).prune(bug, classOfBugField)).toEqual(kept)
    },
  )

  test('of class extra is included by its shortcut and by either name', () => {
    const includesOwner = (include?: string) =>
      select(include).includes('triage_owner_detail', 'extra')
    expect(includesOwner()).toBe(false)
    expect(includesOwner('_default')).toBe(false)
    expect(includesOwner('_extra')).toBe(true)
    expect(includesOwner('triage_owner')).toBe(true)
    expect(includesOwner('triage_owner_detail')).toBe(true)
    expect(includesOwner('triage_owner.name')).toBe(true)
  })
})

describe('Selection.includesByName', () => {
  test.each<[string | undefined, string, boolean]>([
    [undefined, 'comments', false],
    ['', 'comments', false],
    ['_all', 'comments', false],
    ['_extra', 'comments', false],
    ['_extra,comments', 'comments', true],
    ['comments', 'comments', true],
    ['comments.text', 'comments', true],
    ['comments_x.text', 'comments', false],
    ['Comments', 'comments', false],
    ['assigned_to_detail', 'assigned_to_detail', true],
    ['assigned_to.name', 'assigned_to_detail', true],
  ])('with include %j returns for %s %s', (include, field, isNamed) => {
    expect(select(include).includesByName(field)).toBe(isNamed)
  })

  test('ignores exclude_fields', () => {
    expect(select('comments', 'comments').includesByName('comments')).toBe(true)
    expect(select(undefined, 'comments').includesByName('comments')).toBe(false)
  })
})

describe('a selection of nothing in particular', () => {
  test('includes default and custom fields and no extra ones', () => {
    expect(new Selection({}).includes('id')).toBe(true)
    expect(new Selection({}).includes('cf_color', 'custom')).toBe(true)
    expect(new Selection({}).includes('comments', 'extra')).toBe(false)
    expect(new Selection({}).prune(product)).toEqual(product)
  })
})
