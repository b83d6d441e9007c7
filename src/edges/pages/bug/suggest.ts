import { suggestUsers } from '../../../tracker/users/suggest.ts'
import { ask, type PageRequest } from '../page.ts'

/** People for a text that is being typed, for the script of pages. */
export async function suggestPeople(request: PageRequest): Promise<Response> {
  const match = request.url.searchParams.get('match') ?? ''
  const { users } = await ask(request, suggestUsers, { match })
  return request.c.json({ people: users.map(({ name, real_name }) => ({ name, real_name })) })
}
