import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect } from 'vitest'
import { describeClient } from './outcomes.ts'
import { KEY, LOGIN, makeHome, trackerUrl } from './tracker.ts'

/** The interpreter that Debian's packages are installed for. */
const PYTHON = '/usr/bin/python3'
const SCRIPT = join(import.meta.dirname, 'library.py')

const isInstalled = spawnSync(PYTHON, ['-c', 'import bugzilla']).status === 0

const COMMANDS = [
  'logged_in, bz_ver_major',
  'createbug, getbug, getbugs',
  'query, url_to_query',
  'update_bugs, refresh, close, setstatus, setassignee, updateflags',
  'addcomment, getcomments, addcc, get_history_raw',
  'attachfile, openattachment, get_attachments, updateattachmentflags',
  'createuser, getuser, searchusers, updateperms, getgroup',
  'getproducts, getcomponents, addcomponent, editcomponent, getbugfields',
]

for (const [protocol, path] of [
  ['REST', '/rest'],
  ['XML-RPC', '/xmlrpc.cgi'],
] as const) {
  const { variables, folder } = makeHome()

  describeClient(`python3-bugzilla, the library, ${protocol}`, isInstalled, (testCommand) => {
    let output = { stdout: '', stderr: '' }

    beforeAll(async () => {
      const args = [SCRIPT, trackerUrl() + path, KEY, LOGIN]
      output = await promisify(execFile)(PYTHON, args, { cwd: folder, env: variables })
    })

    if (protocol === 'REST') {
      testCommand(
        'update_tags',
        () => expect(output.stderr).toContain('update_tags: BugzillaError: No REST API'),
        { limit: 'the client can do it by XML-RPC alone' },
      )
    } else {
      testCommand('update_tags', () => expect(output.stdout).toContain('update_tags\n'))
    }

    for (const command of COMMANDS) {
      testCommand(command, () => {
        expect(output.stdout.split('\n'), output.stderr).toContain(command)
      })
    }
  })
}
