import { commandTrials } from './commands.ts'
import { diskTrials } from './disks.ts'
import { processTrials } from './processes.ts'
import { stateTrials } from './states.ts'
import type { Trial } from './trial.ts'

/** Every trial of the local server. */
export const trials: readonly Trial[] = [
  ...processTrials,
  ...stateTrials,
  ...diskTrials,
  ...commandTrials,
]
