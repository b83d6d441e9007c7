import type { CastName } from './cast.ts'
import type { WorldBug } from './world.ts'

/** Unix seconds of a time in the form `05-01 10:00:00` of 2025. */
export function at(time: string): number {
  return Date.parse(`2025-${time.replace(' ', 'T')}Z`) / 1000
}

type ReefComment = {
  readonly author?: CastName
  readonly at?: string
  readonly body: string
  readonly isPrivate?: true
  /** The place of the attachment that it is about. */
  readonly attachment?: number
  readonly workTime?: number
  readonly tags?: readonly string[]
}

type ReefAttachment = {
  readonly submitter?: CastName
  readonly description: string
  readonly filename?: string
  readonly mimetype?: string
  readonly isPatch?: true
  readonly isObsolete?: true
  readonly isPrivate?: true
}

/** `review?`, who set it, whom it asks, and the place of its attachment. */
type ReefFlag = readonly [
  flag: string,
  setter: CastName,
  requestee?: CastName | null,
  attachment?: number,
]

/** Time, author, field, removed, added; the places of its attachment and comment. */
type ReefChange = readonly [
  time: string,
  author: CastName,
  field: string,
  removed: string,
  added: string,
  on?: { readonly attachment?: number; readonly comment?: number },
]

type Named = 'assignee' | 'reporter' | 'qaContact'
type Linked = 'dupeOf' | 'dependsOn' | 'regressedBy' | 'seeAlso'
type Made = 'cc' | 'groups' | 'comments' | 'attachments' | 'flags' | 'changes' | 'tags' | 'visits'

/** How a bug differs from the plainest one; other bugs are named by their letters. */
export type ReefBug = Partial<
  Omit<WorldBug, 'id' | Named | Linked | Made | 'createdAt' | 'changedAt'>
> & {
  readonly assignee?: CastName
  readonly reporter?: CastName
  readonly qaContact?: CastName
  readonly createdAt?: string
  readonly changedAt?: string
  readonly dupeOf?: string
  readonly dependsOn?: string
  readonly regressedBy?: string
  /** A letter, or a URL. */
  readonly seeAlso?: readonly string[]
  readonly cc?: readonly CastName[]
  readonly groups?: readonly ('secret' | 'staff')[]
  /** Behind the description. */
  readonly comments?: readonly ReefComment[]
  readonly description?: ReefComment
  readonly attachments?: readonly ReefAttachment[]
  readonly flags?: readonly ReefFlag[]
  readonly changes?: readonly ReefChange[]
  readonly tags?: readonly (readonly [CastName, string])[]
  readonly visits?: readonly (readonly [CastName, string])[]
}

/** The bugs of the reef: 25, of which the last three are in groups. */
export const REEF_BUGS: Readonly<Record<string, ReefBug>> = {
  a: {
    ...{ summary: 'Crash in the toolbar', whiteboard: '[triage] leave-open', alias: 'Álias-1' },
    ...{ url: 'https://reef.test/Path,1', keywords: ['crash', 'leave-open'], priority: 'P1' },
    ...{ severity: 'S1', status: 'UNCONFIRMED', isConfirmed: false, reporter: 'bob' },
    custom: { cf_1: 'Build 2025', cf_2: 'Alpha', cf_3: ['Alpha', 'beta'], cf_10: 12 },
  },
  b: {
    ...{ summary: 'crashes on start', keywords: ['crash'], priority: 'P2', qaContact: 'ines' },
    ...{ cc: ['bob', 'bob.carol'], description: { body: 'It crashes, always.', author: 'bob' } },
    custom: { cf_1: 'build 7', cf_2: 'beta', cf_3: ['beta'], cf_10: 7 },
  },
  c: {
    ...{ summary: 'ÄRA of the window is 100%', whiteboard: 'a_b', cc: ['bob', 'Carol'] },
    comments: [{ body: 'ÄRGER mit der Größe', author: 'zoë', at: '05-20 08:00:00' }],
    custom: { cf_4: 'Über\nalles', cf_9: '2025-06-01', cf_5: at('06-01 12:00:00'), cf_10: 0 },
  },
  d: {
    ...{ summary: 'memory leak in socket code', status: 'RESOLVED', resolution: 'FIXED' },
    ...{ assignee: 'bob', url: 'https://reef.test/%41' },
    changes: [
      ['05-10 09:00:00', 'bob', 'status', 'CONFIRMED', 'RESOLVED'],
      ['05-10 09:00:00', 'bob', 'resolution', '', 'FIXED'],
      ['05-12 09:00:00', 'ines', 'keywords', '', 'crash, perf'],
    ],
  },
  e: {
    ...{ summary: 'socket leak', status: 'RESOLVED', resolution: 'WONTFIX', component: 'Layout' },
    changes: [
      ['05-11 09:00:00', 'Carol', 'status', 'UNCONFIRMED', 'CONFIRMED'],
      ['05-12 09:00:00', 'bob', 'status', 'CONFIRMED', 'RESOLVED'],
      ['05-13 09:00:00', 'Carol', 'summary', 'leaking', 'socket leak'],
    ],
  },
  f: { summary: 'F', product: 'Harbour', component: 'General', version: '2.0', milestone: 'M2' },
  g: { summary: 'G', product: 'Harbour', component: 'Layout', filedVia: 'standard_form' },
  h: { dependsOn: 'ij', comments: [{ body: 'waits', author: 'Carol', at: '06-10 00:00:01' }] },
  i: { regressedBy: 'h', seeAlso: ['h', 'https://Else.test/Ü'] },
  j: { dupeOf: 'h', status: 'RESOLVED', resolution: 'DUPLICATE', dependsOn: 'w' },
  k: {
    comments: [
      { body: 'hush, a secret', isPrivate: true, author: 'ines', tags: ['spam'] },
      {
        body: 'public words here',
        author: 'zoë',
        tags: ['Off-Topic', 'old'],
        at: '06-01 00:00:00',
      },
    ],
  },
  l: {
    ...{ description: { body: 'a private description', isPrivate: true } },
    ...{
      visits: [['bob', '06-10 00:00:00']],
      tags: [
        ['bob', 'To Do'],
        ['Carol', 'later'],
      ],
    },
  },
  m: {
    attachments: [
      { description: 'The Größe patch', filename: 'A.DIFF', isPatch: true, submitter: 'bob' },
      { description: 'old screen', filename: 'b.png', mimetype: 'image/png', isObsolete: true },
    ],
    flags: [
      ['review?', 'Carol', 'bob', 0],
      ['approval+', 'ines', null, 0],
      ['needinfo?', 'zoë', 'Carol'],
    ],
    comments: [{ body: 'about the patch', attachment: 0 }],
  },
  n: {
    attachments: [
      { description: 'hidden patch', isPrivate: true, isPatch: true, submitter: 'zoë' },
    ],
    flags: [['review+', 'bob', 'zoë', 0]],
    comments: [{ body: 'about hidden things', attachment: 0, author: 'zoë' }],
    changes: [
      ['05-20 10:00:00', 'zoë', 'attachments.description', 'x', 'hidden patch', { attachment: 0 }],
    ],
  },
  o: {
    ...{ deadline: '2025-06-20', estimatedTime: 10, remainingTime: 2.5 },
    comments: [
      { body: 'worked', workTime: 2.5, author: 'tim', at: '06-02 10:00:00' },
      { body: 'worked in private', workTime: 5, isPrivate: true, author: 'ines' },
    ],
    changes: [['06-02 10:00:00', 'tim', 'remaining_time', '5', '2.5']],
  },
  p: { deadline: '2025-06-18', estimatedTime: 2.5 },
  q: { assignee: 'gone', qaContact: 'gone', type: 'task', platform: 'ARM', opSys: 'macOS' },
  r: { assignee: 'zoë', createdAt: '06-18 00:00:00', changedAt: '06-18 12:00:00' },
  s: { createdAt: '06-17 12:34:56', changedAt: '06-17 23:59:59', assignee: 'bob.carol' },
  t: { isCcAccessible: false, isCreatorAccessible: false, cc: ['zoë'], custom: { cf_6: 8 } },
  u: { description: { body: '' }, whiteboard: '"quoted" \\ x*y 🐙', keywords: ['perf'] },
  v: {
    visits: [
      ['bob', '05-01 00:00:00'],
      ['Carol', '06-01 00:00:00'],
    ],
    assignee: 'bob',
  },
  w: { groups: ['secret'], summary: 'secret crash', reporter: 'zoë', keywords: ['crash'] },
  x: { groups: ['secret', 'staff'], cc: ['bob'], dupeOf: 'h', dependsOn: 'h' },
  y: { groups: ['staff'], isCreatorAccessible: false, reporter: 'bob', qaContact: 'tim' },
}
