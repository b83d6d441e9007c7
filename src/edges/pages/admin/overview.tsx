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
