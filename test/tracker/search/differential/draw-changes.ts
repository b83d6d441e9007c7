import type { Random } from '../../../../scripts/generator/random.ts'
import { drawText, drawTime, SITE } from './draw-texts.ts'
import type { World, WorldBug, WorldChange } from './world.ts'

const STATUSES = ['CONFIRMED', 'RESOLVED', 'VERIFIED', 'UNCONFIRMED']

/** Draws the history of a bug, which need not lead to what the bug is now. */
export function drawChanges(
  r: Random,
  bug: Omit<WorldBug, 'changes'>,
  around: { readonly world: World; readonly others: readonly number[] },
): WorldChange[] {
  const makers = changeMakers(r, bug, around)
  return Array.from({ length: r.below(8) }, () => ({
    ...{ field: '', removed: '', added: '', attachment: null, comment: null },
    ...{ at: drawTime(r), author: r.pick(around.world.people).id },
    ...r.pick(makers)(),
  })).filter(({ removed, added }) => removed !== added)
}

function changeMakers(
  r: Random,
  { comments, attachments }: Omit<WorldBug, 'changes'>,
  { world, others }: { readonly world: World; readonly others: readonly number[] },
): (() => Partial<WorldChange> & { field: string })[] {
  const sides = (draw: () => string) => ({ removed: draw(), added: draw() })
  const either = (list: readonly string[]) => sides(() => r.pick(list))
  const logins = ['', ...world.people.map(({ login }) => login)]
  const some = (list: readonly string[]) => () => list.filter(() => r.chance(0.3)).join(', ')
  const bugs = () => some(Array.from({ length: 5 }, () => String(r.pick(others))))()
  const attachment = () => r.pick([null, ...attachments.map(({ id }) => id)])
  const worked = comments.filter(({ workTime }) => workTime > 0).map(({ id }) => id)
  const flags = world.flagTypes.map(({ name }) => `${name}?(${r.pick(logins)})`)
  const bits = ['0', '1']
  const customs = world.customFields.map((field) => () => ({
    field: field.name,
    ...sides(field.type === 6 ? () => String(r.pick(others)) : () => r.pick(['', 'Alpha', '7'])),
  }))
  return [
    () => ({ field: 'status', ...either(STATUSES) }),
    () => ({ field: 'status', ...either(STATUSES) }),
    () => ({ field: 'resolution', ...either(['', 'FIXED', 'WONTFIX']) }),
    () => ({ field: 'priority', ...either(['P1', 'P2', '--']) }),
    () => ({ field: 'severity', ...either(['S1', 'S2']) }),
    () => ({ field: 'assigned_to', ...either(logins.slice(1)) }),
    () => ({ field: 'qa_contact', ...either(logins) }),
    () => ({ field: 'cc', ...sides(some(logins.slice(1))) }),
    () => ({ field: 'keywords', ...sides(some(world.keywords)) }),
    () => ({ field: 'groups', ...sides(some(world.groups.map(({ name }) => name))) }),
    () => ({ field: 'summary', ...sides(() => drawText(r)) }),
    () => ({ field: 'whiteboard', ...sides(() => r.pick(['', drawText(r)])) }),
    () => ({ field: 'alias', ...either(['', 'Álias']) }),
    () => ({ field: r.pick(['depends_on', 'blocks']), ...sides(bugs) }),
    () => ({ field: r.pick(['regressed_by', 'regressions', 'duplicates']), ...sides(bugs) }),
    () => ({ field: 'dupe_of', removed: '', added: String(r.pick(others)) }),
    () => ({ field: 'see_also', removed: '', added: `${SITE}/show_bug.cgi?id=${r.pick(others)}` }),
    () => ({ field: 'is_confirmed', ...either(bits) }),
    () => ({ field: 'is_cc_accessible', ...either(bits) }),
    () => ({ field: 'deadline', ...either(['', '2025-06-01', '2025-07-01']) }),
    () => ({ field: r.pick(['estimated_time', 'remaining_time']), ...either(['0', '1', '2.5']) }),
    () => ({ field: 'work_time', removed: '', added: '1', comment: r.pick([null, ...worked]) }),
    () => ({ field: 'longdescs.isprivate', ...either(bits), comment: r.pick(comments).id }),
    () => ({ field: 'comment_tag', ...either(['', 'spam']), comment: r.pick(comments).id }),
    () => ({ field: 'flagtypes.name', ...sides(some(flags)), attachment: attachment() }),
    () => ({ field: 'attachments.isobsolete', ...either(bits), attachment: attachment() }),
    () => ({
      field: 'attachments.description',
      ...sides(() => drawText(r)),
      attachment: attachment(),
    }),
    ...customs,
  ]
}
