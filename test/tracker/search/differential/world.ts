import type { Role } from '../../../../src/platform/access/roles.ts'

/**
 * A small tracker in memory: everything that a search can ask of it, in plain values. People, bugs, comments
 * and attachments are named by their IDs, everything else by its name.
 */
export type World = {
  readonly people: readonly WorldPerson[]
  readonly groups: readonly WorldGroup[]
  readonly products: readonly WorldProduct[]
  readonly keywords: readonly string[]
  readonly flagTypes: readonly WorldFlagType[]
  readonly customFields: readonly WorldCustomField[]
  readonly bugs: readonly WorldBug[]
}

export type WorldPerson = {
  readonly id: number
  readonly login: string
  readonly key: string
  readonly roles: readonly Role[]
  readonly isDisabled: boolean
  /** Unix seconds, as all times of a world. */
  readonly lastSeenAt: number | null
}

export type WorldGroup = {
  readonly id: number
  readonly name: string
  /** The people who are members themselves. */
  readonly members: readonly number[]
  /** The groups whose members are members of this one. */
  readonly includes: readonly number[]
}

export type WorldProduct = {
  readonly id: number
  readonly name: string
  readonly classification: string
  readonly components: readonly WorldComponent[]
  readonly versions: readonly string[]
  readonly milestones: readonly string[]
}

type WorldComponent = {
  readonly name: string
  readonly triageOwner: number | null
  readonly team: string
}

type WorldFlagType = {
  readonly id: number
  readonly name: string
  readonly target: 'bug' | 'attachment'
}

export type WorldCustomField = {
  readonly id: number
  readonly name: string
  /** One of `FIELD_TYPE`. */
  readonly type: number
  readonly choices: readonly string[]
}

export type WorldBug = {
  readonly id: number
  readonly alias: string | null
  readonly summary: string
  readonly whiteboard: string
  readonly url: string
  readonly filedVia: string
  readonly product: string
  readonly component: string
  readonly version: string
  readonly milestone: string
  readonly status: string
  readonly resolution: string
  readonly type: string
  readonly severity: string
  readonly priority: string
  readonly platform: string
  readonly opSys: string
  readonly assignee: number
  readonly reporter: number
  readonly qaContact: number | null
  readonly cc: readonly number[]
  readonly groups: readonly number[]
  readonly isConfirmed: boolean
  readonly isCreatorAccessible: boolean
  readonly isCcAccessible: boolean
  readonly createdAt: number
  readonly changedAt: number
  readonly dupeOf: number | null
  readonly dependsOn: readonly number[]
  readonly regressedBy: readonly number[]
  readonly seeAlso: readonly { readonly url: string; readonly bug: number | null }[]
  readonly keywords: readonly string[]
  /** `YYYY-MM-DD`. */
  readonly deadline: string | null
  readonly estimatedTime: number
  readonly remainingTime: number
  /** In their order; the first one is the description. */
  readonly comments: readonly WorldComment[]
  readonly attachments: readonly WorldAttachment[]
  readonly flags: readonly WorldFlag[]
  readonly changes: readonly WorldChange[]
  readonly tags: readonly { readonly person: number; readonly name: string }[]
  readonly visits: readonly { readonly person: number; readonly at: number }[]
  /** By the names of the fields; dates are `YYYY-MM-DD`, datetimes seconds. Absent when unset. */
  readonly custom: Readonly<Record<string, string | number | readonly string[]>>
}

export type WorldComment = {
  readonly id: number
  readonly author: number
  readonly at: number
  readonly body: string
  readonly isPrivate: boolean
  readonly attachment: number | null
  readonly workTime: number
  readonly tags: readonly string[]
}

export type WorldAttachment = {
  readonly id: number
  readonly submitter: number
  readonly description: string
  readonly filename: string
  readonly mimetype: string
  readonly isPatch: boolean
  readonly isObsolete: boolean
  readonly isPrivate: boolean
}

export type WorldFlag = {
  readonly type: string
  readonly status: '?' | '+' | '-'
  readonly setter: number
  readonly requestee: number | null
  readonly attachment: number | null
}

export type WorldChange = {
  /** The API name, as history stores it. */
  readonly field: string
  readonly at: number
  readonly author: number
  readonly removed: string
  readonly added: string
  readonly attachment: number | null
  /** The comment that changed, or that came with hours. */
  readonly comment: number | null
}

/** Who asks: a person of the world, or nobody. */
export type Reader = WorldPerson | null

export function hasRole(reader: Reader, role: Role): boolean {
  return reader?.roles.includes(role) ?? false
}
