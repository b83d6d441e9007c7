import type { TestGroup, TestPerson, TestProduct } from '../../builders/types.ts'
import type { Sender } from '../../client.ts'

export const PASSWORD = 'a good password'

/** What the requests of the budgets name; made before they are sent. */
export type BudgetWorld = {
  ann: TestPerson
  editor: TestPerson
  admin: TestPerson
  architect: TestPerson
  spare: TestPerson
  /** An account whose key signs events of a code host. */
  bot: TestPerson
  token: string
  keyId: number
  sessionId: number
  /** Of the second factor that ann has begun. */
  secret: string
  passwordLink: string
  emailLink: string
  group: TestGroup
  controlled: TestGroup
  place: TestProduct
  componentId: number
  keyword: string
  field: string
  classification: string
  bug: number
  comment: number
  original: number
  goal: TestProduct
  crowd: number[]
  custom: string
  word: string
  flag: string
  attachment: number
  savedSearch: number
  reminder: number
  webhook: number
  delivery: number
  failedReminder: number
}

/**
 * The exact number of D1 round trips of an answer, those for its credentials included, on an isolate that
 * has seen the caller before; the first request of a caller costs one more. Every operation has an entry
 * for each kind of caller; `{x}` in a path is replaced by that part of the world.
 */
export type TripBudget = {
  readonly trips: number
  readonly by: Sender | 'ann' | 'editor' | 'admin' | 'architect'
  readonly path: string
  readonly body?: (world: BudgetWorld) => object
  /** Settings that differ from those of the tests. */
  readonly settings?: object
  readonly headers?: (world: BudgetWorld, body: unknown) => Promise<Record<string, string>>
}

/** A row of these tables. */
export function budget(
  trips: number,
  by: TripBudget['by'],
  path: string,
  body?: TripBudget['body'],
): TripBudget {
  return { trips, by, path, ...(body && { body }) }
}

/** The parameters of a login. */
export function buildCredentials({ login }: TestPerson): string {
  return new URLSearchParams({ login, password: PASSWORD }).toString()
}
