import { createGroup } from '../../../tracker/groups/create.ts'
import { getGroups } from '../../../tracker/groups/get.ts'
import { getGrants } from '../../../tracker/groups/grants.ts'
import { updateGroups } from '../../../tracker/groups/update.ts'
import { updateGrants } from '../../../tracker/groups/update-grants.ts'
import { getUsers } from '../../../tracker/users/get.ts'
import { updateUsers } from '../../../tracker/users/update.ts'
import { ask, ignoreFault, type PageRequest } from '../page.ts'
import { PersonLink } from '../parts/person.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  NAME,
  type ObjectField,
  ObjectForm,
  Objects,
  type ObjectValues,
  openedOf,
  openedOfAny,
  readFields,
} from './objects.tsx'

/** Members that the page names. */
const MAX_SHOWN = 200

const GROUP: readonly ObjectField[] = [
  NAME,
  { name: 'description', label: 'What it is for', isRequired: true },
  { name: 'user_regexp', label: 'Pattern of the logins that belong to it' },
  { name: 'is_active', label: 'Bugs can be restricted to it', kind: 'tick' },
]

const MEMBERS: readonly ObjectField[] = [
  { name: 'logins', label: 'Logins of people', kind: 'names' },
]

const GRANTS: readonly ObjectField[] = [
  { name: 'members_from', label: 'Members of these groups belong to it', kind: 'names' },
  { name: 'bless_from', label: 'Members of these groups hand it out', kind: 'names' },
  { name: 'visible_to', label: 'Members of these groups see its members', kind: 'names' },
]

/** Groups, who belongs to them, and what they give to other groups. */
export const groupsPage: AdminPage = {
  show: showGroups,
  send: sending(showGroups, {
    'group.create': async (request) => {
      const { id } = await ask(request, createGroup, readFields(request, GROUP))
      return pageOf(id)
    },
    'group.save': async (request) => {
      const id = openedOf(request, 'group') ?? ''
      await ask(request, updateGroups, { id_or_name: id, ...readFields(request, GROUP) })
      return pageOf(id)
    },
    'members.add': (request) => changeMembers(request, 'add'),
    'members.remove': (request) => changeMembers(request, 'remove'),
    'grants.save': async (request) => {
      const id = openedOf(request, 'grants') ?? ''
      const lists = Object.entries(readFields(request, GRANTS))
      await ask(request, updateGrants, {
        group: id,
        ...Object.fromEntries(lists.map(([name, set]) => [name, { set }])),
      })
      return pageOf(id)
    },
  }),
}

async function changeMembers(request: PageRequest, edit: 'add' | 'remove'): Promise<string> {
  const id = openedOf(request, 'members') ?? ''
  const { logins } = readFields(request, MEMBERS)
  const [first = '', ...names] = logins as string[]
  const change = { groups: { [edit]: [Number(id)] } }
  await ask(request, updateUsers, { id_or_name: first, names, ...change })
  return pageOf(id)
}

function pageOf(id: number | string): string {
  return `/admin/groups?open=group.${id}&done=1`
}

/** One more than are shown, by login; none of a group that does not exist. */
function findMembers(request: PageRequest, group: string) {
  const members = { match: ['*'], group_ids: [group], include_disabled: true }
  const wanted = { limit: MAX_SHOWN + 1, include_fields: ['id', 'name', 'real_name'] }
  return ask(request, getUsers, { ...members, ...wanted }).catch(ignoreFault({ users: [] }))
}

async function showGroups(request: PageRequest, refusal?: string) {
  const opened = openedOfAny(request, ['group', 'members', 'grants'])
  const [{ groups: all }, chosen, { users: members }, grants] = await Promise.all([
    ask(request, getGroups, {}),
    opened === undefined ? null : ask(request, getGroups, { ids: [opened] }),
    opened === undefined ? { users: [] } : findMembers(request, opened),
    opened === undefined ? null : ask(request, getGrants, { group: opened }),
  ])
  const [group] = chosen?.groups ?? []
  return (
    <AdminFrame request={request} title="Groups" refusal={refusal}>
      {group && (
        <>
          <h2>{group.name}</h2>
          <ObjectForm
            request={request}
            kind="group"
            id={String(group.id)}
            fields={GROUP}
            values={group}
            buttons={{ save: 'Save the group' }}
          />
          <Members request={request} id={String(group.id)} members={members} />
          <h3>Other groups</h3>
          <ObjectForm
            request={request}
            kind="grants"
            id={String(group.id)}
            fields={GRANTS}
            values={grants as ObjectValues}
            buttons={{ save: 'Save what other groups get' }}
          />
        </>
      )}
      <Objects
        request={request}
        kind="group"
        isListOnly
        title="All groups"
        fields={GROUP}
        items={all.map((one) => ({
          id: String(one.id),
          title: one.name ?? '',
          about: one.description,
          isClosed: !one.is_active,
          values: one,
        }))}
        fresh={{ is_active: true }}
      />
    </AdminFrame>
  )
}

type Member = { id?: number | undefined; name?: string | undefined; real_name?: string | undefined }

function Members({
  request,
  id,
  members,
}: {
  request: PageRequest
  id: string
  members: readonly Member[]
}) {
  return (
    <>
      <h3>Members{members.length > MAX_SHOWN ? '' : ` (${members.length})`}</h3>
      <ul class="choices plain">
        {members.slice(0, MAX_SHOWN).map((member) => (
          <li>
            <PersonLink person={member} />
          </li>
        ))}
      </ul>
      {members.length > MAX_SHOWN && <p class="muted">And others, who are not named here.</p>}
      <ObjectForm
        request={request}
        kind="members"
        id={id}
        fields={MEMBERS}
        values={{}}
        buttons={{ add: 'Add', remove: 'Remove' }}
      />
    </>
  )
}
