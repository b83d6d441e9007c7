import { hasRole } from '../../../platform/access/caller.ts'
import { Layout } from '../layout.tsx'
import type { PageRequest } from '../page.ts'
import type { AdminPage } from './frame.tsx'
import { SECTIONS } from './sections.ts'

/** What the reader administers. */
export const overviewPage: AdminPage = {
  show: async (request: PageRequest) => {
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
