/**
 * A tracker of another kind, as the sources of archives describe it: what a Bugzilla tells over REST, brought into one
 * form. Times are UTC as `2026-03-01T12:00:00Z`, people are logins, and what a source does not know is null or empty.
 */

export type SourceValue = {
  readonly name: string
  readonly description?: string
  readonly sort_key?: number
  readonly is_active?: boolean
  readonly is_open?: boolean
  /** Names of values of the controlling field under which this one is offered. */
  readonly visibility_values?: readonly string[]
  readonly can_change_to?: readonly { readonly name: string; readonly comment_required: boolean }[]
}

export type SourceField = {
  readonly name: string
  readonly display_name: string
  readonly type: number
  readonly is_custom: boolean
  readonly is_mandatory?: boolean
  readonly is_on_bug_entry?: boolean
  readonly visibility_field?: string | null
  readonly visibility_values?: readonly string[]
  readonly value_field?: string | null
  readonly values: readonly SourceValue[]
}

export type SourceFlagType = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly target: 'bug' | 'attachment'
  readonly sort_key?: number
  readonly is_active?: boolean
  readonly is_requestable?: boolean
  readonly is_requesteeble?: boolean
  readonly is_multiplicable?: boolean
}

export type SourcePart = {
  readonly id: number | null
  readonly name: string
  readonly sort_key?: number
  readonly is_active?: boolean
}

export type SourceComponent = SourcePart & {
  readonly description?: string
  readonly default_assigned_to?: string | null
  readonly default_qa_contact?: string | null
  readonly triage_owner?: string | null
  readonly flag_types?: readonly SourceFlagType[]
}

export type SourceProduct = SourcePart & {
  readonly description?: string
  readonly classification?: string
  readonly has_unconfirmed?: boolean
  readonly default_milestone?: string
  readonly components: readonly SourceComponent[]
  readonly versions: readonly SourcePart[]
  readonly milestones: readonly SourcePart[]
}

export type SourceGroup = {
  readonly name: string
  readonly description?: string
  readonly is_active?: boolean
  readonly is_bug_group?: boolean
  readonly user_regexp?: string
  readonly icon_url?: string | null
}

export type SourcePerson = {
  readonly name: string
  readonly id?: number | null
  readonly real_name?: string
  readonly login_denied_text?: string
  readonly groups?: readonly string[]
}

/** What bugs refer to. Whatever a bug names besides is added when the archive is built. */
export type SourceStructure = {
  readonly products: readonly SourceProduct[]
  readonly fields: readonly SourceField[]
  readonly keywords: readonly { readonly name: string; readonly description?: string }[]
  readonly groups: readonly SourceGroup[]
  readonly classifications: readonly { readonly name: string; readonly description?: string }[]
  readonly people: readonly SourcePerson[]
  /** By select field, the value of new bugs. */
  readonly defaults: Readonly<Record<string, string>>
}

export type SourceFlag = {
  readonly id: number
  readonly type_id: number | null
  readonly name: string
  readonly status: string
  readonly setter: string
  readonly requestee: string | null
  readonly creation_date: string | null
  readonly modification_date: string | null
}

export type SourceComment = {
  readonly id: number
  readonly creator: string
  readonly creation_time: string
  readonly text: string
  readonly is_private: boolean
  readonly is_markdown: boolean
  readonly attachment_id: number | null
  readonly tags: readonly string[]
}

export type SourceChange = {
  readonly who: string
  readonly when: string
  readonly field_name: string
  readonly removed: string
  readonly added: string
  readonly attachment_id: number | null
}

export type SourceAttachment = {
  readonly id: number
  readonly creator: string
  readonly creation_time: string
  readonly last_change_time: string
  readonly file_name: string
  readonly summary: string
  readonly content_type: string
  readonly size: number
  /** SHA-256 of the bytes, which are in the folder of files; of nothing where the source did not give them. */
  readonly digest: string
  readonly is_private: boolean
  readonly is_obsolete: boolean
  readonly is_patch: boolean
  readonly flags: readonly SourceFlag[]
}

export type SourceBug = {
  readonly id: number
  readonly alias: string | null
  readonly summary: string
  readonly product: string
  readonly component: string
  readonly version: string
  readonly target_milestone: string
  readonly status: string
  readonly resolution: string
  readonly is_confirmed: boolean
  readonly type: string
  readonly priority: string
  readonly severity: string
  readonly platform: string
  readonly op_sys: string
  readonly assigned_to: string
  readonly creator: string
  readonly qa_contact: string | null
  readonly is_cc_accessible: boolean
  readonly is_creator_accessible: boolean
  readonly url: string
  readonly whiteboard: string
  readonly deadline: string | null
  readonly estimated_time: number
  readonly remaining_time: number
  readonly creation_time: string
  readonly last_change_time: string
  readonly cc: readonly string[]
  readonly groups: readonly string[]
  readonly keywords: readonly string[]
  /** Custom fields by their names, as the source gives them. */
  readonly custom: Readonly<Record<string, unknown>>
  readonly dupe_of: number | null
  readonly depends_on: readonly number[]
  readonly regressed_by: readonly number[]
  readonly see_also: readonly string[]
  readonly flags: readonly SourceFlag[]
  readonly comments: readonly SourceComment[]
  readonly history: readonly SourceChange[]
  readonly attachments: readonly SourceAttachment[]
  /** Whom the source introduces beside the bug. */
  readonly people: readonly SourcePerson[]
}
