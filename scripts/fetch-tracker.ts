/** `npm run fetch-tracker`: see HELP. */

import { existsSync } from 'node:fs'
import { parseMoment, toDatetime } from '../src/platform/lib/time.ts'
import { fetchTracker, finishFolder } from './archive/fetch/fetch-tracker.ts'
import { RestSource } from './archive/fetch/rest.ts'
import { deliverArchive, workFolder } from './archive/pack-archive.ts'
import { endProgress } from './archive/progress.ts'
import { readMapping } from './archive/source/mapping.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseOperand } from './flags.ts'

const HELP = `Makes an archive of a Bugzilla over its REST API, while it serves.

npm run fetch-tracker -- URL --to TO [--key KEY] [--since TIME] [--map FILE]

  URL          address of the tracker, such as https://bugs.example.org
  --to TO      a new folder, or a new file whose name ends in .tar.gz
  --key KEY    an API key there; without, only what is public comes along
  --since TIME only bugs that have changed since: the moment of the archive before
  --map FILE   what gets other names; the file that an earlier run has written has numbers too,
               which --since needs

What could not be brought as it was stands in TO.map.json. Run it again when it was interrupted: it goes on.
`

const { operand: url, flags } = parseOperand(HELP, 'URL', {
  to: { type: 'string' },
  key: { type: 'string' },
  since: { type: 'string' },
  map: { type: 'string' },
})

runCommand(async () => {
  const { to, key, since, map } = flags
  const moment = since === undefined ? null : parseMoment(since)
  if (to === undefined || (since !== undefined && moment === null)) {
    return exitWithUsage(
      to === undefined
        ? '--to is missing.'
        : '--since must be a time such as 2026-03-01T12:00:00Z.',
      HELP,
    )
  }
  if (moment !== null && map === undefined) {
    throw new CommandError('--since needs --map, with the file that the first run has written.')
  }
  if (to.endsWith('.tar.gz') && existsSync(to)) {
    throw new CommandError(`${to} exists already.`)
  }
  const folder = workFolder(to)
  const fetched = await fetchTracker(new RestSource(url, key), folder, {
    since: moment === null ? null : toDatetime(moment),
    mapping: readMapping(map),
  })
  endProgress()
  finishFolder(folder)
  await deliverArchive(to, fetched)
})
