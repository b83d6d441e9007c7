import { describe, expect, test } from 'vitest'
import { compile } from '../../../../src/platform/db/compile.ts'
import { joinsFor } from '../../../../src/tracker/bugs/read/names.ts'

const joins = (...columns: string[]) => compile(joinsFor(columns)).sql

describe('the joins of a select of bugs', () => {
  test('contain only tables that a column needs', () => {
    expect(joins('id', 'summary', 'cc')).toBe('')
    expect(joins('id', 'version')).toBe(
      'LEFT JOIN versions of_version_id ON of_version_id.id = bugs.version_id',
    )
  })

  test('contain each table once, before the tables that depend on it', () => {
    expect(joins('classification', 'product')).toBe(
      'LEFT JOIN products of_product_id ON of_product_id.id = bugs.product_id ' +
        'LEFT JOIN classifications of_classification_id ' +
        'ON of_classification_id.id = of_product_id.classification_id',
    )
  })
})
