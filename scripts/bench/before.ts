import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../wrangler.ts'
import type { FloodFigures } from './measure-floods.ts'

/** Measures the same floods on the code of an earlier commit, in a work tree that goes when it has ended. */
export function measureFloodsOf(commit: string, bugs: number, only: string): FloodFigures[] {
  const folder = join(ROOT, '.wrangler/bench/before')
  const git = (...given: string[]) => execFileSync('git', given, { cwd: ROOT, stdio: 'inherit' })
  if (existsSync(folder)) {
    git('worktree', 'remove', '--force', folder)
  }
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    // what is sent and how it is measured is that of this commit
    rmSync(join(folder, 'scripts'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    execFileSync('cp', ['-r', join(ROOT, 'scripts'), folder])
    const given = ['run.js', 'bench', '--hostile', '--floods', '--bugs', String(bugs)]
    const [script = '', ...flags] = given
    execFileSync(
      process.execPath,
      [join(folder, 'scripts', script), ...flags, '--only', only, '--out', folder],
      { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    return JSON.parse(readFileSync(join(folder, 'floods.json'), 'utf8'))
  } finally {
    git('worktree', 'remove', '--force', folder)
  }
}
