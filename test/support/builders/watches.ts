import { sql } from 'drizzle-orm'
import { execute } from '../database/execute.ts'
import type { TestBug, TestPerson } from './types.ts'

/** Lets a person get the mail of another. */
export async function watchPerson(watcher: TestPerson, watched: TestPerson): Promise<void> {
  await execute(sql`INSERT INTO person_watches (watcher_id, watched_id)
    VALUES (${watcher.id}, ${watched.id})`)
}

/** Lets a person get mail about the component that a bug is in now, or about all of its product. */
export async function watchPlaceOf(
  about: TestBug,
  watcher: TestPerson,
  place: 'component' | 'product' = 'component',
): Promise<void> {
  const component = place === 'component' ? sql`component_id` : sql`NULL`
  await execute(sql`INSERT INTO component_watches (watcher_id, product_id, component_id)
    SELECT ${watcher.id}, product_id, ${component} FROM bugs WHERE id = ${about.id}`)
}

export async function ignoreBug(person: TestPerson, about: TestBug): Promise<void> {
  await execute(sql`INSERT INTO ignored_bugs (user_id, bug_id) VALUES (${person.id}, ${about.id})`)
}

/** Sets one cell of the mail preferences, or a switch. */
export async function setMailPreference(
  person: TestPerson,
  role: string,
  event: string,
  isOn: boolean,
): Promise<void> {
  await execute(sql`INSERT INTO mail_preferences (user_id, role, event, wanted)
    VALUES (${person.id}, ${role}, ${event}, ${isOn})`)
}
