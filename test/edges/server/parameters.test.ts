import { describe, expect, test } from 'vitest'
import { publicSettingNames } from '../../../src/platform/settings/settings.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get, put, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

/** The names that clients of this API know, for people who are logged in. */
const FOR_MEMBERS = [
  'allowemailchange attachment_base commentonchange_resolution commentonduplicate cookiepath',
  'defaultopsys defaultplatform defaultpriority defaultseverity duplicate_or_move_bug_status',
  'emailregexpdesc emailsuffix letsubmitterchoosemilestone letsubmitterchoosepriority mailfrom',
  'maintainer maxattachmentsize maxlocalattachment musthavemilestoneonaccept',
  'noresolveonopenblockers password_complexity rememberlogin requirelogin search_allow_no_criteria',
  'urlbase use_see_also useclassification usemenuforusers useqacontact usestatuswhiteboard',
  'usetargetmilestone',
].flatMap((line) => line.split(' '))

async function parametersFor(who: Sender, query = '') {
  return (await get(who, `/rest/parameters${query}`)).body.parameters
}

async function parametersWith(settings: object, who: Sender) {
  const headers: Record<string, string> =
    who.key === undefined ? {} : { 'x-tracker-api-key': who.key }
  const answer = await fetchWith(settings, '/rest/parameters', { headers })
  const { parameters } = await answer.json<{ parameters: Record<string, string> }>()
  return parameters
}

describe('GET /parameters', () => {
  test('has the parameters that clients read, every value as text', async () => {
    const parameters = await parametersFor(await insertPerson())

    expect(parameters).toMatchObject({
      defaultpriority: '--',
      defaultseverity: '--',
      defaultplatform: 'Unspecified',
      defaultopsys: 'Unspecified',
      letsubmitterchoosepriority: '1',
      requirelogin: '0',
      maintainer: '',
      urlbase: 'https://tracker.test/',
      usetargetmilestone: '1',
    })
    for (const value of Object.values(parameters)) {
      expect(value).toBeTypeOf('string')
    }
  })

  test('shows logged-in callers exactly the names that clients know', async () => {
    expect(Object.keys(await parametersFor(await insertPerson())).sort()).toEqual(
      FOR_MEMBERS.sort(),
    )
  })

  test('shows the status of duplicates in the present workflow', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const duplicateStatus = async () => (await parametersFor(admin)).duplicate_or_move_bug_status
    const path = '/rest/field/bug/status/values/'

    expect(await duplicateStatus()).toBe('RESOLVED')
    await put(admin, `${path}RESOLVED`, { name: 'DONE' })
    const renamed = await duplicateStatus()
    await put(admin, `${path}DONE`, { name: 'RESOLVED' })
    expect(renamed).toBe('DONE')
  })

  test('shows the groups of insiders and time trackers to people with tweakparams', async () => {
    expect(await parametersFor(await insertPerson({ roles: ['tweakparams'] }))).toMatchObject({
      insidergroup: 'insider',
      timetrackinggroup: 'timetracking',
      usevisibilitygroups: '0',
      max_search_results: '10000',
      maxusermatches: '1000',
    })
  })

  test('shows the settings of the deployment', async () => {
    const settings = {
      DEFAULT_PRIORITY: 'High',
      DEFAULT_SEVERITY: 'normal',
      DEFAULT_PLATFORM: 'All',
      DEFAULT_OP_SYS: 'Linux',
      SUBMITTER_CHOOSES_PRIORITY: 'off',
      REQUIRE_LOGIN: 'on',
      MAX_ATTACHMENT_KB: '77',
      MAINTAINER: 'office@example.test',
      MAIL_FROM: 'tracker@example.test',
      BASE_URL: 'https://bugs.example.test/tracker',
    }

    expect(await parametersWith(settings, await insertPerson())).toMatchObject({
      defaultpriority: 'High',
      defaultseverity: 'normal',
      defaultplatform: 'All',
      defaultopsys: 'Linux',
      letsubmitterchoosepriority: '0',
      requirelogin: '1',
      maxattachmentsize: '77',
      maintainer: 'office@example.test',
      mailfrom: 'tracker@example.test',
      urlbase: 'https://bugs.example.test/tracker/',
    })
  })

  test('shows the selected fields alone', async () => {
    const who = await insertPerson()

    expect(await parametersFor(who, '?include_fields=urlbase,requirelogin,bogus')).toEqual({
      requirelogin: '0',
      urlbase: 'https://tracker.test/',
    })
    expect(await parametersFor(ANYONE, '?exclude_fields=maintainer')).toEqual({
      requirelogin: '0',
    })
  })

  test('shows every setting to people with tweakparams', async () => {
    const parameters = await parametersFor(await insertPerson({ roles: ['tweakparams'] }))

    for (const name of publicSettingNames()) {
      expect(parameters[name.toLowerCase()]).toBeTypeOf('string')
    }
    expect(parameters).toMatchObject({ search_limit: '10000', require_login: '0' })
    expect(parameters).not.toHaveProperty('smtp_url')
  })
})

describe('GET /parameters', () => {
  test('rejects anonymous callers where a login is required', async () => {
    expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/rest/parameters')).status).toBe(401)
  })
})

describe('GET /parameters', () => {
  test('hides all but the maintainer and whether a login is required from anonymous callers', async () => {
    expect(await parametersWith({ MAINTAINER: 'office@example.test' }, ANYONE)).toEqual({
      maintainer: 'office@example.test',
      requirelogin: '0',
    })
  })

  test('hides settings under their own names from people without the right', async () => {
    const parameters = await parametersFor(await insertPerson({ roles: ['editusers', 'editbugs'] }))

    expect(parameters).not.toHaveProperty('search_limit')
    expect(parameters).not.toHaveProperty('login_attempts')
    expect(parameters).not.toHaveProperty('insidergroup')
  })

  test('hides secrets from everybody', async () => {
    const parameters = await parametersFor(await insertPerson({ roles: ['tweakparams', 'admin'] }))

    expect(JSON.stringify(parameters)).not.toContain('a secret for tests only')
    expect(parameters).not.toHaveProperty('secrets_key')
  })
})
