import * as z from 'zod'
import { hasRole } from '../access/caller.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { sql } from '../db/sql.ts'
import { selectStatusOfDuplicates } from '../fields/workflow.ts'
import { selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import type { Settings } from '../settings.ts'

export const parametersInput = z.object(selectionInput)
export const parametersOutput = z.strictObject({ parameters: z.record(z.string(), z.string()) })

type Parameters = Record<string, string>

/** What clients look for among the parameters and what is no setting here, but always so. */
const FIXED: Parameters = {
  allowemailchange: '0',
  attachment_base: '',
  commentonchange_resolution: '0',
  commentonduplicate: '0',
  cookiepath: '/',
  emailregexpdesc: '',
  emailsuffix: '',
  letsubmitterchoosemilestone: '1',
  maxlocalattachment: '0',
  musthavemilestoneonaccept: '0',
  noresolveonopenblockers: '0',
  password_complexity: 'no_constraints',
  rememberlogin: 'off',
  search_allow_no_criteria: '0',
  use_see_also: '1',
  useclassification: '1',
  usemenuforusers: '0',
  useqacontact: '1',
  usestatuswhiteboard: '1',
  usetargetmilestone: '1',
}

/** The same, for those who may change parameters. */
const FIXED_INSIDE: Parameters = {
  strict_isolation: '0',
  use_regression_fields: '1',
  usebugaliases: '1',
}

/** The parameters that name a group, with the roles of these groups. */
const GROUPS = { insidergroup: 'insider', timetrackinggroup: 'timetracking' } as const

/**
 * GET /parameters: how this tracker is set up, every value as text. Anonymous callers learn whom to write
 * to and whether a login is required; those who may change parameters also get every setting under its
 * own name. Administration API "Parameters and server information".
 */
export async function parameters(ctx: Ctx, input: z.output<typeof parametersInput>) {
  const { caller, settings } = ctx
  const selection = new Selection(input)
  const isMember = caller.kind !== 'anonymous'
  const seesAll = hasRole(caller, 'tweakparams')
  const { duplicates, named } = await readBatch(ctx, {
    duplicates:
      isMember && selection.wants('duplicate_or_move_bug_status')
        ? selectStatusOfDuplicates()
        : undefined,
    named: seesAll ? readGroups() : undefined,
  })
  const all: Parameters = {
    ...(seesAll ? { ...everySetting(settings), ...forAdministrators(settings, named) } : {}),
    ...(isMember ? forMembers(settings, ctx.baseUrl, duplicates) : {}),
    ...forEverybody(settings),
  }
  return { parameters: selection.prune(all) as Parameters }
}

function readGroups() {
  return db
    .select({ role: groups.role, name: groups.name })
    .from(groups)
    .where(sql`${groups.role} IN (${GROUPS.insidergroup}, ${GROUPS.timetrackinggroup})`)
}

function forEverybody(settings: Settings): Parameters {
  return { maintainer: settings.MAINTAINER, requirelogin: asText(settings.REQUIRE_LOGIN) }
}

function forMembers(
  settings: Settings,
  baseUrl: string,
  duplicates: readonly { readonly name: string }[] = [],
): Parameters {
  return {
    ...FIXED,
    defaultopsys: settings.DEFAULT_OP_SYS,
    defaultplatform: settings.DEFAULT_PLATFORM,
    defaultpriority: settings.DEFAULT_PRIORITY,
    defaultseverity: settings.DEFAULT_SEVERITY,
    duplicate_or_move_bug_status: duplicates[0]?.name ?? '',
    letsubmitterchoosepriority: asText(settings.SUBMITTER_CHOOSES_PRIORITY),
    mailfrom: settings.MAIL_FROM,
    maxattachmentsize: asText(settings.MAX_ATTACHMENT_KB),
    urlbase: `${baseUrl}/`,
  }
}

function forAdministrators(
  settings: Settings,
  named: readonly { readonly role: string | null; readonly name: string }[] = [],
): Parameters {
  const groupOf = (parameter: keyof typeof GROUPS) =>
    named.find(({ role }) => role === GROUPS[parameter])?.name ?? ''
  return {
    ...FIXED_INSIDE,
    insidergroup: groupOf('insidergroup'),
    max_search_results: asText(settings.SEARCH_LIMIT),
    maxusermatches: asText(settings.USER_MATCH_LIMIT),
    timetrackinggroup: groupOf('timetrackinggroup'),
    usevisibilitygroups: asText(settings.USE_VISIBILITY_GROUPS),
    webservice_email_filter: asText(settings.HIDE_EMAIL_DOMAINS),
  }
}

function everySetting(settings: Settings): Parameters {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name.toLowerCase(), asText(value)]),
  )
}

function asText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
