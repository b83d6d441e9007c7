import { getUser } from '../../../tracker/users/get.ts'
import { ask, type PageRequest } from '../page.ts'
import { type Tab, TabFrame } from './tab.tsx'

/** The groups of a person, which say what they may see and do. */
export const permissionsTab: Tab = {
  show: async (request: PageRequest) => {
    const { users } = await ask(request, getUser, { id_or_name: String(request.viewer?.id) })
    const groups = users[0]?.groups ?? []
    return (
      <TabFrame request={request} tab="permissions">
        <p>
          Groups decide what you may see and do (<a href="/docs/concepts">how</a>). An administrator
          adds you to others.
        </p>
        {groups.length === 0 ? (
          <p class="muted">You are in no group.</p>
        ) : (
          <dl class="plain">
            {groups.map(({ name, description }) => (
              <>
                <dt>{name}</dt>
                <dd>{description}</dd>
              </>
            ))}
          </dl>
        )}
      </TabFrame>
    )
  },
  send: {},
}
