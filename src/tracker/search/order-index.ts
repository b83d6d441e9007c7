import type { bugs } from '../../platform/db/schema/bugs.ts'

/**
 * The columns of `bugs` whose index gives bugs in the order of a search, so that its first page reads few
 * rows.
 */
export type OrderIndex = (typeof bugs)['id' | 'createdAt' | 'changedAt']
