import { PersonLink } from '../parts/person.tsx'
import type { BugPage } from './load.ts'

type Person = { id?: number; name?: string; real_name?: string }

/** What a page knows of people. */
export type Known = Pick<BugPage, 'people'> & Partial<Pick<BugPage, 'bug' | 'comments'>>

/** Somebody by login, with name and link where the page knows them. */
export function Who({ page, login }: { page: Known; login: string | undefined }) {
  const person = findPerson(page, login)
  return person === undefined ? <span>{login}</span> : <PersonLink person={person} />
}

export function findPerson(
  { bug, people, comments }: Known,
  login: string | undefined,
): Person | undefined {
  const details = [bug?.assigned_to_detail, bug?.creator_detail, bug?.qa_contact_detail]
  const known: (Person | undefined)[] = [...details, ...(bug?.cc_detail ?? [])]
  return (
    people.get(login) ??
    known.find((person) => person?.name === login) ??
    comments?.find(({ creator }) => creator === login)?.creator_detail
  )
}
