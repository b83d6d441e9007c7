import { getGroups } from '../../../tracker/groups/get.ts'
import { removeSecondFactor } from '../../../tracker/users/account/remove-second-factor.ts'
import { createUser } from '../../../tracker/users/create.ts'
import { getUsers } from '../../../tracker/users/get.ts'
import { updateUsers } from '../../../tracker/users/update.ts'
import { ask, type PageRequest } from '../page.ts'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  type ObjectField,
  ObjectForm,
  Objects,
  openedOf,
  openedOfAny,
  readFields,
} from './objects.tsx'

/** People that a search shows. */
const MAX_SHOWN = 50

const INVITED: readonly ObjectField[] = [
  { name: 'email', label: 'Login, an e-mail address', isRequired: true },
  { name: 'full_name', label: 'Name' },
]

const ACCOUNT: readonly ObjectField[] = [
  ...INVITED,
  { name: 'login_denied_text', label: 'Why it may not sign in; blank if it may' },
  { name: 'email_enabled', label: 'Gets mail', kind: 'tick' },
]

const BLESSING: readonly ObjectField[] = [
  { name: 'add', label: 'Let them hand out these groups', kind: 'names' },
  { name: 'remove', label: 'Take that from them for these groups', kind: 'names' },
]

function membershipField(groups: readonly string[]): readonly ObjectField[] {
  return [{ name: 'groups', label: 'Member of', kind: 'choices', options: groups }]
}

/** Accounts: found, invited and changed. */
export const usersPage: AdminPage = {
  show: showUsers,
  send: sending(showUsers, {
    'user.create': async (request) => {
      const { id } = await ask(request, createUser, readFields(request, INVITED))
      return pageOf(id)
    },
    'user.save': (request) => change(request, 'user', readFields(request, ACCOUNT)),
    'membership.save': async (request) => {
      const { groups: ticked } = readFields(request, membershipField([]))
      const chosen = (ticked as string[]).map(String)
      // those that the form showed: what another administrator has changed since stays changed
      const had = request.form.getAll('had').map(String)
      return change(request, 'membership', {
        groups: {
          add: chosen.filter((name) => !had.includes(name)),
          remove: had.filter((name) => !chosen.includes(name)),
        },
      })
    },
    'user.unprotect': async (request) => {
      const id = openedOf(request, 'user') ?? ''
      await ask(request, removeSecondFactor, { user: id })
      return pageOf(id)
    },
    'blessing.save': (request) =>
      change(request, 'blessing', { bless_groups: readFields(request, BLESSING) }),
  }),
}

async function change(request: PageRequest, kind: string, values: object): Promise<string> {
  const id = openedOf(request, kind) ?? ''
  await ask(request, updateUsers, { id_or_name: id, ...values })
  return pageOf(id)
}

function pageOf(id: number | string): string {
  return `/admin/users?open=user.${id}&done=1`
}

async function showUsers(request: PageRequest, refusal?: string) {
  const match = request.url.searchParams.get('match')?.trim() ?? ''
  const opened = openedOfAny(request, ['user', 'membership', 'blessing'])
  const [found, chosen, { groups }] = await Promise.all([
    match === ''
      ? { users: [] }
      : ask(request, getUsers, { match: [match], limit: MAX_SHOWN, include_disabled: true }),
    opened === undefined ? { users: [] } : ask(request, getUsers, { ids: [opened] }),
    ask(request, getGroups, { include_fields: ['name'] }),
  ])
  const [person] = chosen.users
  const all = [...found.users.filter(({ id }) => id !== person?.id), ...chosen.users]
  return (
    <AdminFrame request={request} title="Users" refusal={refusal}>
      <form class="row">
        <input
          type="search"
          name="match"
          value={match}
          aria-label="Part of a login or a name"
          placeholder="Part of a login or a name"
        />
        <button type="submit" class="quiet">
          Find
        </button>
      </form>
      {match !== '' && found.users.length === 0 && <p>Nobody is called so.</p>}
      {all.length > 0 && (
        <Objects
          request={request}
          kind="user"
          title="Accounts"
          fields={ACCOUNT}
          items={all.map((one) => ({
            id: String(one.id),
            title: one.name ?? '',
            about: one.real_name,
            isClosed: one.can_login === false,
            values: { ...one, email: one.name, full_name: one.real_name },
          }))}
        />
      )}
      {person && (
        <Groups
          request={request}
          id={String(person.id)}
          had={(person.groups ?? []).map(({ name = '' }) => name)}
          all={groups.map(({ name = '' }) => name)}
        />
      )}
      <h2>New account</h2>
      <p>They get a mail with a link to set a password, where this tracker sends mail.</p>
      <ObjectForm
        request={request}
        kind="user"
        id="new"
        fields={INVITED}
        values={{}}
        buttons={{ create: 'Invite' }}
      />
    </AdminFrame>
  )
}

type GroupsProps = {
  request: PageRequest
  id: string
  had: readonly string[]
  all: readonly string[]
}

function Groups({ request, id, had, all }: GroupsProps) {
  const isSent = openedOf(request, 'membership') === id && request.form.has('do')
  const shown = isSent ? request.form.getAll('had').map(String) : had
  return (
    <>
      <h3>Groups</h3>
      <ObjectForm
        request={request}
        kind="membership"
        id={id}
        fields={membershipField(all)}
        values={{ groups: had }}
        buttons={{ save: 'Save the groups' }}
      >
        {shown.map((name) => (
          <input type="hidden" name="had" value={name} />
        ))}
      </ObjectForm>
      <h3>Handing out groups</h3>
      <ObjectForm
        request={request}
        kind="blessing"
        id={id}
        fields={BLESSING}
        values={{}}
        buttons={{ save: 'Save' }}
      />
      <h3>Lost device</h3>
      <p>Without the second factor, the password alone signs in again.</p>
      <ObjectForm
        request={request}
        kind="user"
        id={id}
        fields={[]}
        values={{}}
        buttons={{ unprotect: 'Remove the second factor' }}
      />
    </>
  )
}
