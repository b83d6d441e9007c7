import type { Ctx } from '../../context.ts'
import { Turns } from '../../load/turns.ts'
import { turnOwner } from './caller-key.ts'

/** More bugs than these take long enough for one edit at a time: others read in between. */
const FEW = 50
const turns = new Turns<string>(1)

/** Whether an edit of so many bugs takes turns with others, or one that `walks` links from bug to bug for loops. */
export function isLargeEdit(bugs: number, walks = false): boolean {
  return walks || bugs > FEW
}

/** A verb whose commit computes the memberships of many people anew, in the turn of large edits. */
export function inTurnOfLargeEdits<Granted extends Ctx, Input, Result>(
  verb: (ctx: Granted, input: Input) => Promise<Result>,
): (ctx: Granted, input: Input) => Promise<Result> {
  return (ctx, input) => runLargeEdit(ctx, (began) => verb(began, input))
}

/** Runs a large edit in its turn; its context has the moment at which that begins. */
export function runLargeEdit<Granted extends Ctx, Result>(
  ctx: Granted,
  edit: (ctx: Granted) => Promise<Result>,
): Promise<Result> {
  return turns.run(turnOwner(ctx), () => edit({ ...ctx, now: Math.floor(Date.now() / 1000) }))
}
