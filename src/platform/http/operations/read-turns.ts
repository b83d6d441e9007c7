import type { Ctx } from '../../context.ts'
import { Turns } from '../../lib/turns.ts'
import { turnOwner } from './caller-key.ts'

const turns = new Turns<string>(1, 2)

/** Runs an operation that reads thousands of rows when few others do. */
export function runInReadTurn<Result>(ctx: Ctx, run: () => Promise<Result>): Promise<Result> {
  return turns.run(turnOwner(ctx), run)
}
