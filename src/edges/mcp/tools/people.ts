import * as shapes from '../shapes.ts'
import { readCount } from '../shorten.ts'
import type { Tool } from '../types.ts'

const { text, whole } = shapes

const PEOPLE = { normal: 20, most: 100 }

export const findUsersTool: Tool = {
  name: 'find_users',
  title: 'Find people',
  description:
    'Finds accounts by a part of a login or of a name. Their `name` is the login that other tools take.',
  effect: 'read',
  takes: {
    match: text('A part of a login or of a name'),
    limit: whole(`Most people to return: ${PEOPLE.normal} unless given, ${PEOPLE.most} at most`),
  },
  required: ['match'],
  operation: 'GET /user',
  gives: { users: shapes.objects, note: shapes.note },
  toParameters: ({ match, ...given }) => ({
    match,
    limit: String(readCount(given, 'limit', PEOPLE)),
    include_fields: 'id,name,real_name',
  }),
  toResult: ({ body, given }) => {
    const { users } = body as { users: object[] }
    const isFull = users.length >= readCount(given, 'limit', PEOPLE)
    const note = 'There may be more people; match more of the name, or ask with a higher limit.'
    return { members: { users, ...(isFull && { note }) } }
  },
}

export const whoAmITool: Tool = {
  name: 'whoami',
  title: 'Tell who the caller is',
  description: 'Tells whose account the tools act for. Without a key there is none.',
  effect: 'read',
  takes: {},
  operation: 'GET /whoami',
  gives: { id: { type: 'integer' }, name: { type: 'string' }, real_name: { type: 'string' } },
  toParameters: () => ({}),
  toResult: ({ body }) => ({ members: { ...(body as object) } }),
}
