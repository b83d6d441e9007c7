import * as z from 'zod'
import { hasRole } from '../access/caller.ts'
import type { Ctx } from '../context.ts'
import { selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import type { Settings } from '../settings.ts'

export const parametersInput = z.object(selectionInput)
export const parametersOutput = z.strictObject({ parameters: z.record(z.string(), z.string()) })

type Parameters = Record<string, string>

/** What clients look for among the parameters and what is no setting here, but always so. */
const FIXED: Parameters = {
  commentonchange_resolution: '0',
  commentonduplicate: '0',
  emailsuffix: '',
  letsubmitterchoosemilestone: '1',
  musthavemilestoneonaccept: '0',
  noresolveonopenblockers: '0',
  search_allow_no_criteria: '0',
  use_see_also: '1',
  useclassification: '1',
  usemenuforusers: '0',
  useqacontact: '1',
  usestatuswhiteboard: '1',
  usetargetmilestone: '1',
}

/**
 * GET /parameters: how this tracker is set up, every value as text. Anonymous callers learn whom to write
 * to and whether a login is required; those who may change parameters also get every setting under its
 * own name. Administration API "Parameters and server information".
 */
export async function parameters(ctx: Ctx, input: z.output<typeof parametersInput>) {
  const { caller, settings } = ctx
  const all: Parameters = {
    ...(hasRole(caller, 'tweakparams') ? everySetting(settings) : {}),
    ...(caller.kind === 'anonymous' ? {} : forMembers(settings, ctx.baseUrl)),
    ...forEverybody(settings),
  }
  const selection = new Selection(input)
  return { parameters: selection.prune(all) as Parameters }
}

function forEverybody(settings: Settings): Parameters {
  return { maintainer: settings.MAINTAINER, requirelogin: asText(settings.REQUIRE_LOGIN) }
}

function forMembers(settings: Settings, baseUrl: string): Parameters {
  return {
    ...FIXED,
    defaultopsys: settings.DEFAULT_OP_SYS,
    defaultplatform: settings.DEFAULT_PLATFORM,
    defaultpriority: settings.DEFAULT_PRIORITY,
    defaultseverity: settings.DEFAULT_SEVERITY,
    letsubmitterchoosepriority: asText(settings.SUBMITTER_CHOOSES_PRIORITY),
    mailfrom: settings.MAIL_FROM,
    urlbase: `${baseUrl}/`,
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
