import * as z from 'zod'
import { hasRole } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { FIELD_LISTS } from '../../platform/http/operations/unknown-fields.ts'
import { parseFieldName, type SelectedFields, Selection } from '../../platform/lib/selection.ts'
import { publicSettingNames, type Settings } from '../../platform/settings/settings.ts'
import { selectStatusOfDuplicates } from '../../tracker/fields/workflow.ts'

type Parameters = Record<string, string>

/** Parameters that clients expect and that no setting changes. */
const FIXED_PARAMETERS: Parameters = {
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

/** The same for callers who may change parameters. */
const FIXED_ADMINISTRATOR_PARAMETERS: Parameters = {
  strict_isolation: '0',
  use_regression_fields: '1',
  usebugaliases: '1',
}

const GROUP_PARAMETERS = { insidergroup: 'insider', timetrackinggroup: 'timetracking' } as const

/**
 * The parameters of this tracker, every value as text. Anonymous callers get the maintainer and whether a
 * login is required; callers who may change parameters also get every setting under its own name.
 */
export const getParameters = operation(
  {
    method: 'GET',
    path: '/parameters',
    summary: 'Tell how the tracker is set up',
    reference: 'server.md#get-the-parameters',
    input: z.object(selectionInput),
    output: z.strictObject({ parameters: z.record(z.string(), z.string()) }),
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller, settings } = ctx
    const selection = new Selection(input)
    const isMember = caller.kind !== 'anonymous'
    const seesAll = hasRole(caller, 'tweakparams')
    const { duplicateStatuses, parameterGroups } = await readBatch(ctx, {
      duplicateStatuses:
        isMember && selection.includes('duplicate_or_move_bug_status')
          ? selectStatusOfDuplicates()
          : undefined,
      parameterGroups: seesAll ? selectParameterGroups() : undefined,
    })
    const forAdministrators = {
      ...presentSettings(settings),
      ...presentAdministratorParameters(settings, parameterGroups),
    }
    const forMembers = presentMemberParameters(settings, ctx.baseUrl, duplicateStatuses)
    const forAll = presentPublicParameters(settings)
    noteUnknown(ctx, input, { ...forAdministrators, ...forMembers, ...forAll })
    const parameters: Parameters = {
      ...(seesAll ? forAdministrators : {}),
      ...(isMember ? forMembers : {}),
      ...forAll,
    }
    return { parameters: selection.prune(parameters) as Parameters }
  },
)

/** The names of no parameter, the same for every caller; the shape of the answer has none of them. */
function noteUnknown(ctx: Ctx, input: SelectedFields, all: Parameters): void {
  for (const list of FIELD_LISTS) {
    const named = (input[list] ?? []).filter((name) => parseFieldName(name) !== null)
    ctx.noteUnused(
      named.filter((name) => !Object.hasOwn(all, name)),
      list,
    )
  }
}

function selectParameterGroups() {
  return db
    .select({ role: groups.role, name: groups.name })
    .from(groups)
    .where(
      sql`${groups.role} IN (${GROUP_PARAMETERS.insidergroup}, ${GROUP_PARAMETERS.timetrackinggroup})`,
    )
}

function presentPublicParameters(settings: Settings): Parameters {
  return { maintainer: settings.MAINTAINER, requirelogin: toText(settings.REQUIRE_LOGIN) }
}

function presentMemberParameters(
  settings: Settings,
  baseUrl: string,
  duplicateStatuses: readonly { readonly name: string }[] = [],
): Parameters {
  return {
    ...FIXED_PARAMETERS,
    defaultopsys: settings.DEFAULT_OP_SYS,
    defaultplatform: settings.DEFAULT_PLATFORM,
    defaultpriority: settings.DEFAULT_PRIORITY,
    defaultseverity: settings.DEFAULT_SEVERITY,
    duplicate_or_move_bug_status: duplicateStatuses[0]?.name ?? '',
    letsubmitterchoosepriority: toText(settings.SUBMITTER_CHOOSES_PRIORITY),
    mailfrom: settings.MAIL_FROM,
    maxattachmentsize: toText(settings.MAX_ATTACHMENT_KB),
    urlbase: `${baseUrl}/`,
  }
}

function presentAdministratorParameters(
  settings: Settings,
  parameterGroups: readonly { readonly role: string | null; readonly name: string }[] = [],
): Parameters {
  const findGroupName = (parameter: keyof typeof GROUP_PARAMETERS) =>
    parameterGroups.find(({ role }) => role === GROUP_PARAMETERS[parameter])?.name ?? ''
  return {
    ...FIXED_ADMINISTRATOR_PARAMETERS,
    insidergroup: findGroupName('insidergroup'),
    max_search_results: toText(settings.SEARCH_LIMIT),
    maxusermatches: toText(settings.USER_MATCH_LIMIT),
    timetrackinggroup: findGroupName('timetrackinggroup'),
    usevisibilitygroups: toText(settings.USE_VISIBILITY_GROUPS),
    webservice_email_filter: toText(settings.HIDE_EMAIL_DOMAINS),
  }
}

function presentSettings(settings: Settings): Parameters {
  return Object.fromEntries(
    publicSettingNames().map((name) => [name.toLowerCase(), toText(settings[name])]),
  )
}

function toText(value: Settings[keyof Settings]): string {
  if (typeof value === 'object') {
    return JSON.stringify(value)
  }
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
