/** `npm run import`: see HELP. */

import { findMissingLines } from './archive/first-start.ts'
import { withArchive } from './archive/folder.ts'
import { importArchive } from './archive/import-parts.ts'
import { endProgress } from './archive/progress.ts'
import { withTracker } from './archive/tracker.ts'
import { validateArchive } from './archive/validate.ts'
import { CommandError, runCommand } from './command.ts'
import { parseOperand } from './flags.ts'

const HELP = `Imports an archive into a tracker that is empty, or that only archives of the same source have filled.

npm run import -- FROM [--persist-to DIR | --url URL --key KEY] [--dry-run] [--resume]

  FROM               a folder, or a file whose name ends in .tar.gz
  --persist-to DIR   folder of the data of a tracker on this computer (.wrangler/state), which
                     must be stopped; npm start makes a new one
  --url URL          address of a tracker that runs; --key is an API key of an administrator
  --dry-run          only check the archive
  --resume           go on with an import that was interrupted; running it again does so, too

The whole archive is checked first, and nothing is written when something does not fit.
`

const { operand: from, flags } = parseOperand(HELP, 'FROM', {
  'persist-to': { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
})

runCommand(async () => {
  const { url, key } = flags
  await withArchive(from, async (archive) => {
    const { manifest, folder } = archive
    const isWhole = manifest.since === null
    const addedLines = isWhole ? await findMissingLines(folder) : new Map<string, string[]>()
    const problems = await validateArchive(archive, addedLines)
    endProgress()
    if (problems.length > 0) {
      const lines = problems.map(
        ({ file, line, reason }) => `${file}${line === null ? '' : `:${line}`}: ${reason}`,
      )
      throw new CommandError(
        `${lines.join('\n')}\nNothing was written. Correct the archive, or make it anew.`,
      )
    }
    const sum = `${manifest.parts.bugs?.lines ?? 0} bugs and ${manifest.parts.comments?.lines ?? 0} comments`
    if (flags['dry-run']) {
      process.stdout.write(`${from} is sound: ${sum}, as of ${manifest.moment}.\n`)
      return
    }
    await withTracker({ url, key, persistTo: flags['persist-to'] }, (tracker) =>
      importArchive(tracker, archive, addedLines),
    )
    endProgress()
    process.stdout.write(`Imported ${sum}, as of ${manifest.moment}.\n`)
  })
})
