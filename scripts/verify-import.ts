/** `npm run verify-import`: see HELP. */

import { compareBugs } from './archive/compare.ts'
import { withArchive } from './archive/folder.ts'
import { endProgress } from './archive/progress.ts'
import { withTracker } from './archive/tracker.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseOperand } from './flags.ts'

const HELP = `Compares an archive with what the API of a tracker shows: bugs, comments, attachments, history.

npm run verify-import -- FROM [--persist-to DIR | --url URL --key KEY] [--every N]

  FROM               the archive that was imported
  --persist-to DIR   folder of the data of a tracker on this computer (.wrangler/state)
  --url URL          address of a tracker that runs; --key is an API key of an administrator in
                     all groups, such as insider and timetracking
  --every N          compare bugs whose number is a multiple of N alone (1)

The exit code is 1 when something differs.
`

const MAX_SHOWN = 50

const { operand: from, flags } = parseOperand(HELP, 'FROM', {
  'persist-to': { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  every: { type: 'string', default: '1' },
})

runCommand(async () => {
  const every = Number(flags.every)
  if (!Number.isSafeInteger(every) || every < 1) {
    exitWithUsage('--every must be a whole number above 0.', HELP)
  }
  const { url, key } = flags
  const differences = await withArchive(from, (archive) =>
    withTracker({ url, key, persistTo: flags['persist-to'] }, (tracker) =>
      compareBugs(tracker, archive, every),
    ),
  )
  endProgress()
  if (differences.length > 0) {
    const lines = differences
      .slice(0, MAX_SHOWN)
      .map(
        ({ thing, member, archived, shown }) =>
          `${thing}: ${member} is ${JSON.stringify(shown)}, in the archive ${JSON.stringify(archived)}`,
      )
    throw new CommandError(`${lines.join('\n')}\n${differences.length} differences.`)
  }
  process.stdout.write('No differences.\n')
})
