import { GROUP_CONTROL } from '../../src/platform/db/schema/products.ts'
import { fold } from '../../src/platform/lib/text.ts'
import { nameFlagType } from './bug.ts'
import type { Cell, TableInsert } from './table-insert.ts'
import { MILESTONES, VERSIONS, type World } from './world.ts'

const DAY = 86_400

/** The people, and the group of the restricted bugs. */
export function peopleInserts(world: World): TableInsert[] {
  const before = world.start - 30 * DAY
  const security = `security-s${world.seed}`
  return [
    {
      table: 'users',
      columns: [
        ['id', 'base.person + #'],
        ['login'],
        ['login_fold'],
        ['real_name'],
        ['real_name_fold'],
        ['nick'],
        ['nick_fold'],
        ['created_at'],
      ],
      rows: world.people.map(({ login, realName, nick }, n) => [
        ...[n, login, fold(login), realName, fold(realName)],
        ...[nick, nick === null ? null : fold(nick), before],
      ]),
    },
    {
      table: 'access_groups',
      columns: [['id', 'base.security'], ['name'], ['name_fold'], ['description'], ['created_at']],
      rows: [[security, fold(security), 'Bugs that attackers must not read', before]],
    },
    {
      table: 'group_grants',
      columns: [
        ['member_group_id', `(SELECT id FROM access_groups WHERE role = 'admin')`],
        ['granting_group_id', 'base.security'],
        ['kind'],
      ],
      rows: [['membership'], ['bless'], ['visible']],
    },
    {
      table: 'group_members',
      columns: [
        ['user_id', 'base.person + #'],
        ['group_id', '(SELECT id FROM access_groups WHERE coalesce(role, name_fold) = #)'],
        ['source', `'direct'`],
      ],
      rows: listMemberRows(world, security),
    },
  ]
}

/** Inserts the effective memberships that follow from the direct ones, of everybody in the database. */
export const INSERT_EFFECTIVE_MEMBERSHIPS = `INSERT OR IGNORE INTO memberships (user_id, group_id)
WITH RECURSIVE reached(user_id, group_id) AS (
  SELECT user_id, group_id FROM group_members
  UNION
  SELECT reached.user_id, g.granting_group_id
  FROM reached JOIN group_grants g ON g.member_group_id = reached.group_id AND g.kind = 'membership'
)
SELECT user_id, group_id FROM reached`

/** Products with everything that a bug needs, keywords, and the flag type. */
export function productInserts(world: World): TableInsert[] {
  const products = world.products.map((product, n) => [n, product] as const)
  return [
    {
      table: 'products',
      columns: [
        ['id', 'base.product + #'],
        ['classification_id', '(SELECT min(id) FROM classifications)'],
        ['name'],
        ['name_fold'],
        ['description'],
        ['has_unconfirmed'],
        ['created_at'],
      ],
      rows: products.map(([n, { name, hasUnconfirmed }]) => [
        ...[n, name, fold(name), `All about ${name}`],
        ...[Number(hasUnconfirmed), world.start - 20 * DAY],
      ]),
    },
    productPartInsert('versions', 'version', VERSIONS, world),
    productPartInsert('milestones', 'milestone', MILESTONES, world),
    componentInsert(world),
    {
      table: 'group_controls',
      columns: [
        ['product_id', 'base.product + #'],
        ['group_id', 'base.security'],
        // Members may choose the group, nobody else may.
        ['membercontrol', String(GROUP_CONTROL.SHOWN)],
      ],
      rows: products.map(([n]) => [n]),
    },
    ...termInserts(world),
  ]
}

function listMemberRows(world: World, security: string): Cell[][] {
  return world.people.flatMap((_, n) => [
    ...(n < world.developers ? [[n, 'editbugs']] : []),
    ...(n < world.insiders ? [[n, 'insider']] : []),
    ...(n < world.developers && n % 3 === 0 ? [[n, security]] : []),
  ])
}

/** Versions or milestones; the first of each product is its default. */
function productPartInsert(
  table: string,
  base: string,
  names: string[],
  world: World,
): TableInsert {
  return {
    table,
    columns: [
      ['id', `base.${base} + #`],
      ['product_id', 'base.product + #'],
      ['name'],
      ['name_fold'],
      ['sort_key'],
      ['is_default'],
    ],
    rows: world.products.flatMap((_, product) =>
      names.map((name, n) => [
        ...[product * names.length + n, product, name, fold(name), n * 10, Number(n === 0)],
      ]),
    ),
  }
}

function componentInsert(world: World): TableInsert {
  return {
    table: 'components',
    columns: [
      ['id', 'base.component + #'],
      ['product_id', 'base.product + #'],
      ['name'],
      ['name_fold'],
      ['description'],
      ['default_assignee_id', 'base.person + #'],
      ['default_qa_contact_id', 'base.person + #'],
      ['triage_owner_id', 'base.person + #'],
    ],
    rows: world.products.flatMap(({ name, firstComponent, components }, product) =>
      components.map((component, n) => [
        ...[firstComponent + n, product, component.name, fold(component.name)],
        ...[`${component.name} of ${name}`, component.assignee, component.qaContact],
        component.assignee,
      ]),
    ),
  }
}

function termInserts(world: World): TableInsert[] {
  return [
    {
      table: 'keywords',
      columns: [['id', 'base.keyword + #'], ['name'], ['name_fold'], ['description']],
      rows: world.keywords.map((name, n) => [n, name, fold(name), `Bugs about ${name}`]),
    },
    {
      table: 'flag_types',
      columns: [['id', 'base.flag_type'], ['name'], ['description'], ['target', `'bug'`]],
      rows: [[nameFlagType(world), 'Somebody has to answer a question']],
    },
    {
      table: 'flag_type_scopes',
      columns: [
        ['flag_type_id', 'base.flag_type'],
        ['is_exclusion', '0'],
        ['product_id', 'base.product + #'],
      ],
      rows: world.products.map((_, n) => [n]),
    },
  ]
}
