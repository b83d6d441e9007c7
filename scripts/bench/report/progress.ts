/** Shows one line that a terminal overwrites; other outputs get it at the end only. */
export function startProgress(title: string): { update(state: string): void; end(): void } {
  const isTerminal = process.stderr.isTTY === true
  let last = 0
  return {
    update(state) {
      const now = Date.now()
      if (isTerminal && now - last > 100) {
        last = now
        process.stderr.write(`\r${title}: ${state}   `)
      }
    },
    end() {
      process.stderr.write(isTerminal ? `\r${title}: done${' '.repeat(60)}\n` : `${title}: done\n`)
    },
  }
}
