/** `npm run fetch-tracker`: see HELP. */

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { parseMoment, toDatetime } from '../src/platform/lib/time.ts'
import { fetchTracker, finishFolder } from './archive/fetch/fetch-tracker.ts'
import { RestSource } from './archive/fetch/rest.ts'
import { packArchive } from './archive/pack-archive.ts'
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
  const isPacked = to.endsWith('.tar.gz')
  if (isPacked && existsSync(to)) {
    throw new CommandError(`${to} exists already.`)
  }
  const folder = isPacked ? `${to}.unfinished` : to
  const { manifest, mapping } = await fetchTracker(new RestSource(url, key), folder, {
    since: moment === null ? null : toDatetime(moment),
    mapping: readMapping(map),
  })
  endProgress()
  writeFileSync(`${to}.map.json`, `${JSON.stringify(mapping, null, 1)}\n`)
  finishFolder(folder)
  if (isPacked) {
    await packArchive(folder, manifest, to)
    rmSync(folder, { recursive: true })
  }
  const { bugs, comments } = manifest.parts
  process.stdout.write(
    `${to} has ${bugs?.lines ?? 0} bugs and ${comments?.lines ?? 0} comments, as of ${manifest.moment}.\n`,
  )
  for (const note of mapping.notes.slice(0, 20)) {
    process.stdout.write(`  ${note}\n`)
  }
  if (mapping.notes.length > 20) {
    process.stdout.write(`  and ${mapping.notes.length - 20} more in ${to}.map.json\n`)
  }
})
