import type { Expression } from '../../../../src/tracker/search/expression.ts'
import { type Operator, parseOperator } from '../../../../src/tracker/search/operators.ts'
import { type FreeIds, insertCast, insertFieldOfEachType, loadFreeIds } from './cast.ts'
import { SITE } from './draw-texts.ts'
import { at, REEF_BUGS, type ReefBug } from './reef-bugs.ts'
import { insertWorld, type StoredWorld } from './stored-world.ts'
import type { World, WorldAttachment, WorldBug, WorldComment } from './world.ts'

const HOST = 'reef.test'
const LETTERS = Object.keys(REEF_BUGS)

type Cast = Omit<World, 'bugs'> & { readonly free: FreeIds; readonly ids: readonly number[] }

export type Reef = StoredWorld & {
  /** The condition `field operator value`; values of a list stand between bars, letters of bugs in braces. */
  condition(text: string): Expression
  /** The letters of the bugs with these IDs. */
  lettersOf(ids: readonly number[]): string
}

/** Writes the bugs of the reef, whose people, products and groups are always the same. */
export async function insertReef(): Promise<Reef> {
  const people = await insertCast(HOST)
  const customFields = await insertFieldOfEachType()
  const free = await loadFreeIds()
  const ids = LETTERS.map(() => free.bug++)
  const members = (...names: string[]) =>
    people.filter(({ login }) => names.includes(login)).map(({ id }) => id)
  const secret = { id: free.group++, name: 'reef-secret', members: members(`bob.carol@${HOST}`) }
  const staff = { id: free.group++, name: 'reef-Staff', members: members(`tim@${HOST}`) }
  const flagTypes = ['review', 'approval', 'needinfo'].map((name) => ({
    ...{ id: free.flagType++, name: `reef-${name}` },
    target: name === 'needinfo' ? ('bug' as const) : ('attachment' as const),
  }))
  const part = { versions: ['unspecified', '2.0'], milestones: ['---', 'M2'] }
  const owned = (name: string, owner: number | null, team: string) => ({
    ...{ name, triageOwner: owner, team },
  })
  const zoe = people.find(({ login }) => login.startsWith('zoë'))?.id ?? 0
  const components = [owned('General', zoe, 'Core Team'), owned('Layout', null, '')]
  const world = {
    ...{ people, customFields, flagTypes },
    groups: [
      { ...secret, includes: [] },
      { ...staff, includes: [secret.id] },
    ],
    products: [
      { id: free.product++, name: 'Reef', classification: 'Reef, Client', components, ...part },
      { id: free.product++, name: 'Harbour', classification: 'Reef Server', components, ...part },
    ],
    keywords: ['crash', 'leave-open', 'perf'],
  }
  const bugs = LETTERS.map((letter) => makeBug(letter, { ...world, free, ids }))
  const stored = await insertWorld({ ...world, bugs })
  const idOf = (letter: string) => ids[LETTERS.indexOf(letter)] ?? 0
  return {
    ...stored,
    condition: (text) => parseCondition(text, world, idOf),
    lettersOf: (found) => found.map((id) => LETTERS[ids.indexOf(id)] ?? '?').join(''),
  }
}

function makeBug(letter: string, cast: Cast): WorldBug {
  const reef: ReefBug = REEF_BUGS[letter] ?? {}
  const place = LETTERS.indexOf(letter)
  const idOf = (one: string) => cast.ids[LETTERS.indexOf(one)] ?? 0
  const person = (name: string) =>
    cast.people.find(({ login }) => login === `${name}@${HOST}`)?.id ?? 0
  const createdAt = at(reef.createdAt ?? `05-${String(place + 1).padStart(2, '0')} 10:00:00`)
  const attachments = (reef.attachments ?? []).map((one) => makeAttachment(one, cast, person))
  const description = { author: 'Carol', body: `About ${letter}` } as const
  const comments = [{ ...description, ...reef.description }, ...(reef.comments ?? [])].map(
    (one): WorldComment => ({
      id: cast.free.comment++,
      author: person(one.author ?? 'Carol'),
      at: one.at === undefined ? createdAt : at(one.at),
      body: one.body,
      isPrivate: one.isPrivate ?? false,
      attachment: one.attachment === undefined ? null : (attachments[one.attachment]?.id ?? null),
      workTime: one.workTime ?? 0,
      tags: one.tags ?? [],
    }),
  )
  const plain = {
    ...{ alias: null, summary: `bug ${letter}`, whiteboard: '', url: '', filedVia: 'api' },
    ...{ product: 'Reef', component: 'General', version: 'unspecified', milestone: '---' },
    ...{ status: 'CONFIRMED', resolution: '', type: 'defect', severity: 'S3', priority: 'P3' },
    ...{ platform: 'PC', opSys: 'Linux', isConfirmed: true, isCreatorAccessible: true },
    ...{ isCcAccessible: true, keywords: [], deadline: null, estimatedTime: 0, remainingTime: 0 },
  }
  const groupId = (name: string) => cast.groups[name === 'secret' ? 0 : 1]?.id ?? 0
  return {
    ...{ ...plain, ...reef },
    id: idOf(letter),
    assignee: person(reef.assignee ?? 'Carol'),
    reporter: person(reef.reporter ?? 'Carol'),
    qaContact: reef.qaContact === undefined ? null : person(reef.qaContact),
    cc: (reef.cc ?? []).map(person),
    groups: (reef.groups ?? []).map(groupId),
    createdAt,
    changedAt: reef.changedAt === undefined ? createdAt + 10 * 86_400 : at(reef.changedAt),
    dupeOf: reef.dupeOf === undefined ? null : idOf(reef.dupeOf),
    dependsOn: [...(reef.dependsOn ?? '')].map(idOf),
    regressedBy: [...(reef.regressedBy ?? '')].map(idOf),
    seeAlso: (reef.seeAlso ?? []).map((link) =>
      link.length > 1
        ? { url: link, bug: null }
        : { url: `${SITE}/show_bug.cgi?id=${idOf(link)}`, bug: idOf(link) },
    ),
    comments,
    attachments,
    flags: (reef.flags ?? []).map(([flag, setter, requestee, on]) => ({
      type: `reef-${flag.slice(0, -1)}`,
      status: flag.slice(-1) as '?' | '+' | '-',
      setter: person(setter),
      requestee: requestee ? person(requestee) : null,
      attachment: on === undefined ? null : (attachments[on]?.id ?? null),
    })),
    changes: (reef.changes ?? []).map(([time, author, field, removed, added, on = {}]) => ({
      ...{ at: at(time), author: person(author), field, removed, added },
      attachment: on.attachment === undefined ? null : (attachments[on.attachment]?.id ?? null),
      comment: on.comment === undefined ? null : (comments[on.comment]?.id ?? null),
    })),
    tags: (reef.tags ?? []).map(([name, tag]) => ({ person: person(name), name: tag })),
    visits: (reef.visits ?? []).map(([name, time]) => ({ person: person(name), at: at(time) })),
    custom: Object.fromEntries(
      Object.entries(reef.custom ?? {}).map(([name, value]) => {
        const field = cast.customFields.find(({ type }) => `cf_${type}` === name)
        return [field?.name ?? name, field?.type === 6 ? (cast.ids[Number(value) - 1] ?? 0) : value]
      }),
    ),
  }
}

function makeAttachment(
  one: NonNullable<ReefBug['attachments']>[number],
  { free }: Cast,
  person: (name: string) => number,
): WorldAttachment {
  return {
    id: free.attachment++,
    submitter: person(one.submitter ?? 'Carol'),
    description: one.description,
    filename: one.filename ?? 'file.txt',
    mimetype: one.mimetype ?? 'text/plain',
    isPatch: one.isPatch ?? false,
    isObsolete: one.isObsolete ?? false,
    isPrivate: one.isPrivate ?? false,
  }
}

function parseCondition(
  text: string,
  { customFields }: Pick<World, 'customFields'>,
  idOf: (letter: string) => number,
): Expression {
  const [, name = '', word = '', rest = ''] = /^(\S+) (\S+) ?([\s\S]*)$/.exec(text) ?? []
  const operator: Operator | undefined = parseOperator(word)
  if (operator === undefined) {
    throw new Error(`no operator in ${text}`)
  }
  const field = customFields.find(({ type }) => `cf_${type}` === name)?.name ?? name
  const value = rest.replace(/\{(\w)\}/g, (_, letter: string) => String(idOf(letter)))
  const values = operator === 'anyexact' ? value.split('|') : value === '' ? [] : [value]
  return { kind: 'condition', field, operator, values, source: text }
}
