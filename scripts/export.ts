/** `npm run export`: see HELP. */

import { existsSync, rmSync } from 'node:fs'
import { parseMoment, toDatetime } from '../src/platform/lib/time.ts'
import { exportTracker } from './archive/export-parts.ts'
import { fetchBackup } from './archive/fetch-backup.ts'
import { packArchive } from './archive/pack-archive.ts'
import { endProgress } from './archive/progress.ts'
import { withTracker } from './archive/tracker.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseOperand } from './flags.ts'

const HELP = `Writes an archive of a tracker: docs/reference/archive.md has its format.

npm run export -- TO [--persist-to DIR | --url URL --key KEY] [--since TIME]
                     [--source NAME] [--with-credentials] [--backup DAY]

  TO                  a new folder, or a new file whose name ends in .tar.gz
  --persist-to DIR    folder of the data of a tracker on this computer (.wrangler/state), which
                      must be stopped
  --url URL           address of a tracker that runs; --key is an API key of an administrator
  --since TIME        only bugs that have changed since, for a tracker that has the rest: the
                      moment of the archive before
  --source NAME       what to call the tracker; its address, or the folder of its data
  --backup DAY        not the tracker, but a backup of its bucket, such as 2030-01-31
  --with-credentials  with the hashes of passwords and API keys

Run it again when it was interrupted: it goes on.
`

const { operand: to, flags } = parseOperand(HELP, 'TO', {
  'persist-to': { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  since: { type: 'string' },
  source: { type: 'string' },
  backup: { type: 'string' },
  'with-credentials': { type: 'boolean', default: false },
})

runCommand(async () => {
  const { url, key, since } = flags
  const moment = since === undefined ? null : parseMoment(since)
  if (since !== undefined && moment === null) {
    exitWithUsage('--since must be a time such as 2026-03-01T12:00:00Z.', HELP)
  }
  const isPacked = to.endsWith('.tar.gz')
  if (isPacked && existsSync(to)) {
    throw new CommandError(`${to} exists already.`)
  }
  const folder = isPacked ? `${to}.unfinished` : to
  const persistTo = flags['persist-to']
  const source = flags.source ?? url ?? persistTo ?? '.wrangler/state'
  const manifest = await withTracker({ url, key, persistTo }, (tracker) =>
    flags.backup === undefined
      ? exportTracker(tracker, folder, source, {
          since: moment === null ? null : toDatetime(moment),
          withCredentials: flags['with-credentials'],
        })
      : fetchBackup(tracker, folder, source, flags.backup),
  )
  endProgress()
  if (isPacked) {
    await packArchive(folder, manifest, to)
    rmSync(folder, { recursive: true })
  }
  const { bugs, comments } = manifest.parts
  const lacking =
    manifest.missing.length === 0
      ? ''
      : ` The bytes of ${manifest.missing.length} files are missing.`
  process.stdout.write(
    `${to} has ${bugs?.lines ?? 0} bugs and ${comments?.lines ?? 0} comments, as of ${manifest.moment}.${lacking}\n`,
  )
})
