import type { Random } from '../../../../scripts/generator/random.ts'
import type { FreeIds } from './cast.ts'
import { drawChanges } from './draw-changes.ts'
import { COMPATIBLE, DAY, dayOf, drawText, drawTime, SITE } from './draw-texts.ts'
import type {
  World,
  WorldAttachment,
  WorldBug,
  WorldComment,
  WorldCustomField,
  WorldFlag,
  WorldGroup,
  WorldPerson,
  WorldProduct,
} from './world.ts'

const BUGS = 28

type Stage = {
  readonly marker: string
  readonly people: readonly WorldPerson[]
  readonly customFields: readonly WorldCustomField[]
  readonly free: FreeIds
}

/** Draws a world around its people, and takes its numbers. */
export function drawWorld(r: Random, stage: Stage): World {
  const { marker, people, free, customFields } = stage
  const groups = drawGroups(r, stage)
  const products = [1, 2, 3].map((n) => drawProduct(r, stage, n))
  const keywords = ['crash', 'leave-open', 'perf', 'Größe'].map((word) => `${word} ${marker}`)
  const flagTypes = (['review', 'approval', 'needinfo', 'review'] as const).map((name, n) => ({
    id: free.flagType++,
    name: `${name}${n === 3 ? '-late' : ''}_${marker}`,
    target: n < 2 ? ('attachment' as const) : ('bug' as const),
  }))
  const ids = Array.from({ length: BUGS }, () => free.bug++)
  const around = { people, groups, products, keywords, flagTypes, customFields }
  const bugs = ids.map((id) => drawBug(r, stage, { ...around, bugs: [] }, { id, ids }))
  return { ...around, bugs }
}

function drawGroups(r: Random, { marker, people, free }: Stage): WorldGroup[] {
  const ids = [free.group++, free.group++, free.group++]
  const [first = 0] = ids
  return ids.map((id, n) => ({
    id,
    name: `${['secret', 'Staff', 'großes team'][n]} ${marker}`,
    members: people.filter(() => r.chance(0.3)).map((one) => one.id),
    includes: n > 0 && r.chance(0.5) ? [first] : [],
  }))
}

function drawProduct(r: Random, { marker, people, free }: Stage, n: number): WorldProduct {
  const owner = () => (r.chance(0.6) ? r.pick(people).id : null)
  return {
    id: free.product++,
    name: `${['Mail & News', 'Browser', 'Größe'][n - 1]} ${marker}`,
    classification: `${n === 1 ? 'Client, Software' : 'Server'} ${marker}`,
    components: ['General', `Layout ${n}`].map((name) => ({
      ...{ name, triageOwner: owner(), team: r.pick(['', 'Core Team', 'ünits']) },
    })),
    versions: ['unspecified', `${n}.0 Branch`],
    milestones: ['---', `M${n}`, 'M10'],
  }
}

type Place = { readonly id: number; readonly ids: readonly number[] }

function drawBug(r: Random, stage: Stage, world: World, place: Place): WorldBug {
  const { people, customFields } = stage
  const somebody = () => r.pick(people).id
  const some = <T>(list: readonly T[], share: number) => list.filter(() => r.chance(share))
  const others = place.ids.filter((other) => other !== place.id)
  const product = r.pick(world.products)
  const attachments = drawAttachments(r, stage)
  const comments = drawComments(r, stage, attachments)
  const isOpen = r.chance(0.6)
  const seeAlso = some(others, 0.04).map((bug) => ({ url: `${SITE}/show_bug.cgi?id=${bug}`, bug }))
  const bug: Omit<WorldBug, 'changes'> = {
    id: place.id,
    alias: r.chance(0.3) ? `${r.pick(['Álias', 'nick', 'leak'])}-${place.id}` : null,
    summary: drawText(r, COMPATIBLE),
    whiteboard: r.chance(0.5) ? drawText(r, COMPATIBLE) : '',
    url: r.chance(0.5) ? `https://x.test/${r.pick(['Path,1', 'ärger', 'a_b', '%41'])}` : '',
    filedVia: r.pick(['api', 'standard_form']),
    ...{ product: product.name, component: r.pick(product.components).name },
    ...{ version: r.pick(product.versions), milestone: r.pick(product.milestones) },
    status: r.pick(isOpen ? ['UNCONFIRMED', 'CONFIRMED'] : ['RESOLVED', 'VERIFIED']),
    resolution: isOpen ? '' : r.pick(['FIXED', 'WONTFIX', 'DUPLICATE']),
    ...{ type: r.pick(['defect', 'task', '--']), severity: r.pick(['S1', 'S2', 'N/A', '--']) },
    ...{ priority: r.pick(['P1', 'P2', 'P3', '--']), platform: r.pick(['PC', 'ARM']) },
    opSys: r.pick(['Linux', 'Mac OS', 'macOS']),
    ...{ assignee: somebody(), reporter: somebody(), qaContact: r.chance(0.4) ? somebody() : null },
    cc: some(people, 0.2).map(({ id }) => id),
    groups: r.chance(0.55) ? [] : some(world.groups, 0.4).map(({ id }) => id),
    ...{ isConfirmed: r.chance(0.7), isCreatorAccessible: r.chance(0.6) },
    isCcAccessible: r.chance(0.6),
    ...{ createdAt: drawTime(r), changedAt: drawTime(r) },
    dupeOf: r.chance(0.25) ? r.pick(others) : null,
    ...{ dependsOn: some(others, 0.06), regressedBy: some(others, 0.04) },
    seeAlso: r.chance(0.3) ? [...seeAlso, { url: 'https://Else.test/Ü?id=1', bug: null }] : seeAlso,
    keywords: some(world.keywords, 0.25),
    deadline: r.chance(0.4) ? dayOf(drawTime(r) + 30 * DAY) : null,
    estimatedTime: r.pick([0, 0, 2.5, 10]),
    remainingTime: r.pick([0, 0, 1, 3.25]),
    ...{ comments, attachments, flags: drawFlags(r, stage, world, attachments) },
    tags: some(people, 0.2).map(({ id }) => ({ person: id, name: r.pick(['To Do', 'später']) })),
    visits: some(people, 0.3).map(({ id }) => ({ person: id, at: drawTime(r) })),
    custom: Object.fromEntries(
      customFields
        .filter(() => r.chance(0.6))
        .map((field) => [field.name, drawCustom(r, field, others)]),
    ),
  }
  return { ...bug, changes: drawChanges(r, bug, { world, others }) }
}

function drawCustom(r: Random, { type, choices }: WorldCustomField, others: readonly number[]) {
  switch (type) {
    case 2:
      return r.pick(choices)
    case 3:
      return choices.filter((choice, n) => n === 0 || r.chance(choice.length / 10))
    case 5:
      return drawTime(r)
    case 6:
      return r.pick(others)
    case 9:
      return dayOf(drawTime(r))
    case 10:
      return r.pick([-3, 0, 7, 12, 1200])
    default:
      return drawText(r, COMPATIBLE)
  }
}

function drawAttachments(r: Random, { people, free }: Stage): WorldAttachment[] {
  return Array.from({ length: r.pick([0, 0, 1, 2]) }, () => ({
    id: free.attachment++,
    submitter: r.pick(people).id,
    description: drawText(r, COMPATIBLE),
    filename: r.pick(['Patch.diff', 'größe.TXT', 'a_b 50%.png']),
    mimetype: r.pick(['text/plain', 'image/png']),
    isPatch: r.chance(0.4),
    isObsolete: r.chance(0.3),
    isPrivate: r.chance(0.4),
  }))
}

function drawComments(
  r: Random,
  { people, free }: Stage,
  attachments: readonly WorldAttachment[],
): WorldComment[] {
  return Array.from({ length: 1 + r.below(4) }, (_, number) => ({
    id: free.comment++,
    author: r.pick(people).id,
    at: drawTime(r),
    body: r.chance(0.1) ? '' : drawText(r),
    isPrivate: r.chance(0.3),
    // comments on attachments come without hours
    ...(number > 0 && r.chance(0.3) && attachments[0] !== undefined
      ? { attachment: attachments[0].id, workTime: 0 }
      : { attachment: null, workTime: r.pick([0, 0, 0, 1, 2.5]) }),
    tags: r.chance(0.25) ? [r.pick(['spam', 'Überholt', 'off-topic'])] : [],
  }))
}

function drawFlags(
  r: Random,
  { people }: Stage,
  { flagTypes }: World,
  attachments: readonly WorldAttachment[],
): WorldFlag[] {
  const draw = (target: 'bug' | 'attachment', attachment: number | null): WorldFlag => ({
    type: r.pick(flagTypes.filter((type) => type.target === target)).name,
    status: r.pick(['?', '+', '-'] as const),
    setter: r.pick(people).id,
    requestee: r.chance(0.5) ? r.pick(people).id : null,
    attachment,
  })
  return [
    ...Array.from({ length: r.pick([0, 0, 1, 2]) }, () => draw('bug', null)),
    ...attachments.filter(() => r.chance(0.6)).map(({ id }) => draw('attachment', id)),
  ]
}
