import { post } from '../support/client.ts'
import { group, newBug, person, product, unique } from '../support/world.ts'
import type { Variables } from './answer.ts'

const PASSWORD = 'Turn-left-at-7'

/** The people and things that each page finds, as described in docs/reference/README.md. */
export async function makePageWorld(): Promise<Variables> {
  const [admin, editor, staff, reporter] = await Promise.all([
    person({ roles: ['admin'], realName: 'Ada Admin' }),
    person({ roles: ['editbugs'], realName: 'Eve Editor' }),
    person({ roles: ['editbugs', 'insider', 'timetracking'], realName: 'Stan Staff' }),
    person({ realName: 'Rita Reporter', password: PASSWORD }),
  ])
  const confidential = await group([staff])
  const place = await product({
    assignee: editor,
    controls: [{ group: confidential, memberControl: 1 }],
  })
  const filed = await post(reporter, '/rest/bug', newBug(place, { description: 'It breaks.' }))
  const people = Object.entries({ ADMIN: admin, EDITOR: editor, STAFF: staff, REPORTER: reporter })
  return {
    ...Object.fromEntries(
      people.flatMap(([name, { id, login, key }]) => [
        [name, login],
        [`${name}_ID`, id],
        [`${name}_KEY`, key],
      ]),
    ),
    REPORTER_PASSWORD: PASSWORD,
    GROUP: confidential.name,
    GROUP_ID: confidential.id,
    PRODUCT: place.name,
    PRODUCT_ID: place.id,
    COMPONENT: place.component,
    BUG: filed.body.id,
    RUN: unique('run'),
  }
}
