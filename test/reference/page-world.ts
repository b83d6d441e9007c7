import { buildBugBody } from '../support/builders/bugs.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { post } from '../support/client.ts'
import type { Variables } from './answer.ts'

const PASSWORD = 'Turn-left-at-7'

/** The people and things that each page finds, as described in docs/reference/README.md. */
export async function makePageWorld(): Promise<Variables> {
  const [admin, editor, staff, reporter, bot] = await Promise.all([
    insertPerson({ roles: ['admin'], realName: 'Ada Admin' }),
    insertPerson({ roles: ['editbugs'], realName: 'Eve Editor' }),
    insertPerson({ roles: ['editbugs', 'insider', 'timetracking'], realName: 'Stan Staff' }),
    insertPerson({ realName: 'Rita Reporter', password: PASSWORD }),
    insertPerson({ roles: ['codehost-webhook-bot'], realName: 'Code Host' }),
  ])
  const confidential = await insertGroup([staff])
  const place = await insertProduct({
    assignee: editor,
    controls: [{ group: confidential, memberControl: 1 }],
  })
  const filed = await post(
    reporter,
    '/rest/bug',
    buildBugBody(place, { description: 'It breaks.' }),
  )
  const people = Object.entries({
    ADMIN: admin,
    EDITOR: editor,
    STAFF: staff,
    REPORTER: reporter,
    BOT: bot,
  })
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
    RUN: uniqueName('run'),
  }
}
