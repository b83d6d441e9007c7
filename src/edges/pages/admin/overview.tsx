import { hasRole } from '../../../platform/access/caller.ts'
import type { Role } from '../../../platform/access/roles.ts'
import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { Layout } from '../layout.tsx'
import type { PageRequest } from '../page.ts'
import type { AdminPage } from './frame.tsx'

type Section = {
  readonly path: string
  readonly title: string
  readonly about: string
  readonly role: Role
}

const SECTIONS: readonly Section[] = [
  {
    path: 'products',
    title: 'Products',
    about: 'Products with their components, versions, milestones and groups; classifications.',
    role: 'editcomponents',
  },
  {
    path: 'users',
    title: 'Users',
    about: 'Accounts: invite, rename, disable, and give them groups.',
    role: 'editusers',
  },
  {
    path: 'groups',
    title: 'Groups',
    about: 'Who belongs to which group, and what groups give each other.',
    role: 'creategroups',
  },
  {
    path: 'keywords',
    title: 'Keywords',
    about: 'The words that bugs are marked with.',
    role: 'editkeywords',
  },
  {
    path: 'flag-types',
    title: 'Flag types',
    about: 'What can be asked for on bugs and attachments.',
    role: 'editcomponents',
  },
  {
    path: 'fields',
    title: 'Fields',
    about: 'Fields of your own, and the values to choose from.',
    role: 'admin',
  },
  {
    path: 'workflow',
    title: 'Workflow',
    about: 'The statuses of bugs, and the moves between them.',
    role: 'admin',
  },
  {
    path: 'undelivered',
    title: 'Undelivered',
    about: 'Mails, webhooks, pushes and reminders that did not get through.',
    role: 'admin',
  },
  {
    path: 'audit',
    title: 'Audit log',
    about: 'Who changed the structure of the tracker, and when.',
    role: 'admin',
  },
  {
    path: 'settings',
    title: 'Settings',
    about: 'How this tracker is deployed, and what each setting means.',
    role: 'admin',
  },
]

/** What the reader administers. */
export const overview: AdminPage = {
  show: async (request: PageRequest) => {
    loggedIn.grant(request.ctx, {})
    const sections = SECTIONS.filter(({ role }) => hasRole(request.ctx.caller, role))
    return (
      <Layout request={request} title="Administration" isUnlisted>
        <h1>Administration</h1>
        {sections.length === 0 && <p>There is nothing that you administer.</p>}
        <dl class="items">
          {sections.map(({ path, title, about }) => (
            <div>
              <dt>
                <a href={`/admin/${path}`}>{title}</a>
              </dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
      </Layout>
    )
  },
}
